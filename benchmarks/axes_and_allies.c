/* Random play of Axes and Allies in C, the reference that playouts.py compares the compiled rules with.
 *
 * The program has the same rules (rules.py), the same generator (xoroshiro128++ keyed by a counter, Lemire's below()) and the same
 * order of draws as Meadhall. With the same key it therefore plays the same games, decision for decision, and the benchmark checks
 * this. The code aims at speed and clarity as usual in C: no events, no undo, no log. Build: cc -O3 -march=native -shared -fPIC
 */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { SEATS = 6, SIDES = 6, ALLY = SEATS };

typedef struct {
    uint64_t rng[2];
    int8_t players, actor, power, living;
    int8_t alive[SEATS];
    int8_t allied[SEATS][SEATS];
} State;

static inline uint64_t rotated(uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }

static inline uint64_t draw(uint64_t rng[2]) {
    uint64_t s0 = rng[0], s1 = rng[1], drawn = rotated(s0 + s1, 17) + s0;
    s1 ^= s0;
    rng[0] = rotated(s0, 49) ^ s1 ^ (s1 << 21);
    rng[1] = rotated(s1, 28);
    return drawn;
}

static inline int below(uint64_t rng[2], int n) {
    uint64_t span = (uint64_t)n, product = (draw(rng) >> 32) * span;
    if ((uint32_t)product < span) {
        uint64_t threshold = ((UINT64_C(1) << 32) - span) % span;
        while ((uint32_t)product < threshold) product = (draw(rng) >> 32) * span;
    }
    return (int)(product >> 32);
}

static inline uint64_t mixed(uint64_t z) {
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

static void key_from_counter(uint64_t rng[2], uint64_t seed, uint64_t counter) {
    const uint64_t golden = UINT64_C(0x9E3779B97F4A7C15);
    uint64_t start = mixed(seed) + counter * (2 * golden);
    rng[0] = mixed(start + golden);
    rng[1] = mixed(start + 2 * golden);
}

static inline int roll(State *s) { return 1 + below(s->rng, SIDES); }

static inline bool can_be_chosen(const State *s, int seat, int other) {
    return s->alive[other] && other != seat && !s->allied[seat][other];
}

static inline int next_living(const State *s, int seat) {
    do {
        if (++seat == s->players) seat = 0;
    } while (!s->alive[seat]);
    return seat;
}

static inline bool can_choose(const State *s, int seat) {
    for (int other = 0; other < s->players; other++)
        if (can_be_chosen(s, seat, other)) return true;
    return false;
}

static inline void begin_turn(State *s, int seat) {
    for (;;) {
        s->power = roll(s);
        if (s->power == 1) memset(s->allied, 0, sizeof s->allied);
        if (can_choose(s, seat)) {
            s->actor = seat;
            return;
        }
        seat = next_living(s, seat);
    }
}

static void set_up(State *s, int players) {
    s->players = s->living = players;
    for (int seat = 0; seat < players; seat++) s->alive[seat] = true;
    int tied = (1 << players) - 1;
    for (;;) {
        int highest = 0, leaders = 0, leader = 0;
        for (int seat = 0; seat < players; seat++) {
            if (!(tied >> seat & 1)) continue;
            int value = roll(s);
            if (value > highest) highest = value, leaders = 0;
            if (value == highest) leaders |= 1 << seat, leader = seat;
        }
        if (leaders == 1 << leader) {
            begin_turn(s, leader);
            return;
        }
        tied = leaders;
    }
}

static inline int legal(const State *s, int out[2 * SEATS]) {
    int chosen = 0;
    for (int other = 0; other < s->players; other++)
        if (can_be_chosen(s, s->actor, other)) out[chosen++] = other;
    for (int k = 0; k < chosen; k++) out[chosen + k] = out[k] + ALLY;
    return 2 * chosen;
}

static inline void play(State *s, int action) {
    int seat = s->actor;
    if (action >= ALLY) {
        s->allied[seat][action - ALLY] = s->allied[action - ALLY][seat] = true;
    } else if (roll(s) < s->power) {
        s->alive[action] = false;
        s->living--;
    }
    if (s->living > 1)
        begin_turn(s, next_living(s, seat));
    else
        s->actor = -1;
}

/* Play games first to first + count - 1 of the run keyed by seed, add every seat's wins to wins[], return the number of decisions. */
int64_t playouts(int players, uint64_t seed, int64_t first, int64_t count, double wins[]) {
    int64_t decisions = 0;
    int out[2 * SEATS];
    for (int64_t game = first; game < first + count; game++) {
        State s;
        memset(&s, 0, sizeof s);
        key_from_counter(s.rng, seed, (uint64_t)game);
        set_up(&s, players);
        for (; s.actor >= 0; decisions++) {
            int n = legal(&s, out);
            play(&s, out[below(s.rng, n)]);
        }
        for (int seat = 0; seat < players; seat++) wins[seat] += s.alive[seat];
    }
    return decisions;
}
