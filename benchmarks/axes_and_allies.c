/* Axes and Allies played at random, in C: what the compiled rules of Meadhall are measured against.
 *
 * Same rules (rules.py), same generator (xoroshiro128++ keyed by a counter, Lemire's below()), same order of draws: for the same key it
 * plays the very same games, decision for decision, which the benchmark checks. Written as one would write it in C for speed and
 * clarity: no events, no undo, no log. Build: cc -O3 -march=native -shared -fPIC
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
} Table;

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

static inline int roll(Table *t) { return 1 + below(t->rng, SIDES); }

static inline bool can_be_named(const Table *t, int seat, int other) {
    return t->alive[other] && other != seat && !t->allied[seat][other];
}

static inline int next_living(const Table *t, int seat) {
    do {
        if (++seat == t->players) seat = 0;
    } while (!t->alive[seat]);
    return seat;
}

static inline bool has_somebody_to_name(const Table *t, int seat) {
    for (int other = 0; other < t->players; other++)
        if (can_be_named(t, seat, other)) return true;
    return false;
}

static inline void begin_turn(Table *t, int seat) {
    for (;;) {
        t->power = roll(t);
        if (t->power == 1) memset(t->allied, 0, sizeof t->allied);
        if (has_somebody_to_name(t, seat)) {
            t->actor = seat;
            return;
        }
        seat = next_living(t, seat);
    }
}

static void set_up(Table *t, int players) {
    t->players = t->living = players;
    for (int seat = 0; seat < players; seat++) t->alive[seat] = true;
    int tied = (1 << players) - 1;
    for (;;) {
        int highest = 0, leaders = 0, leader = 0;
        for (int seat = 0; seat < players; seat++) {
            if (!(tied >> seat & 1)) continue;
            int value = roll(t);
            if (value > highest) highest = value, leaders = 0;
            if (value == highest) leaders |= 1 << seat, leader = seat;
        }
        if (leaders == 1 << leader) {
            begin_turn(t, leader);
            return;
        }
        tied = leaders;
    }
}

static inline int legal(const Table *t, int out[2 * SEATS]) {
    int named = 0;
    for (int other = 0; other < t->players; other++)
        if (can_be_named(t, t->actor, other)) out[named++] = other;
    for (int k = 0; k < named; k++) out[named + k] = out[k] + ALLY;
    return 2 * named;
}

static inline void play(Table *t, int action) {
    int seat = t->actor;
    if (action >= ALLY) {
        t->allied[seat][action - ALLY] = t->allied[action - ALLY][seat] = true;
    } else if (roll(t) < t->power) {
        t->alive[action] = false;
        t->living--;
    }
    if (t->living > 1)
        begin_turn(t, next_living(t, seat));
    else
        t->actor = -1;
}

/* Games first to first + count - 1 of the run keyed by seed; wins[] gains each seat's. Returns the number of decisions. */
int64_t playouts(int players, uint64_t seed, int64_t first, int64_t count, double wins[]) {
    int64_t decisions = 0;
    int out[2 * SEATS];
    for (int64_t game = first; game < first + count; game++) {
        Table t;
        memset(&t, 0, sizeof t);
        key_from_counter(t.rng, seed, (uint64_t)game);
        set_up(&t, players);
        for (; t.actor >= 0; decisions++) {
            int n = legal(&t, out);
            play(&t, out[below(t.rng, n)]);
        }
        for (int seat = 0; seat < players; seat++) wins[seat] += t.alive[seat];
    }
    return decisions;
}
