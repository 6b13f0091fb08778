"""The guided first games: valid scripts, steps with addresses, and friendly answers."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest

from meadhall.engine.laws.declaration_laws import lessons_are_sound
from meadhall.engine.match.telling import guided_match
from meadhall.engine.registry import game, game_names
from meadhall.engine.text.language import gettext, speaking
from meadhall.engine.text.lessons import LEARNER
from meadhall.games.axes_and_allies.rules import ALLY, ATTACK
from server.people import AXES, HOARD, OpenHall

WORDS_PER_MINUTE, SECONDS_PER_ACTION = 200, 4
GUIDED = [name for name in game_names() if game(name).lessons is not None]


def words(page: str) -> str:
    found = re.search(r'<p class="lesson-words">(.*?)</p>', page, re.DOTALL)
    assert found, page[:2000]
    return unescape(re.sub(r"<[^>]*>", "", found[1])).strip()


def step_of(page: str) -> int:
    found = re.search(r'data-url="/learn/[^"?]*\?step=(\d+)"', page)
    assert found, page[:2000]
    return int(found[1])


def highlighted(page: str) -> list[int]:
    found = re.findall(r'name="(?:action|first)" value="(\d+)" data-wanted(?:="(\d+)")?', page)
    return [int(value) + int(plus or 0) for value, plus in found]


@pytest.mark.parametrize("name", GUIDED)
def test_a_script_can_be_followed_and_cites_the_rulebook(name: str) -> None:
    lessons = game(name).lessons
    assert lessons is not None
    lessons_are_sound(game(name), lessons)
    words = sum(len(lesson.words.split()) for lesson in lessons.lessons)
    actions = sum(lesson.action is not None for lesson in lessons.lessons)
    estimate = words / WORDS_PER_MINUTE + actions * SECONDS_PER_ACTION / 60
    assert abs(estimate - lessons.minutes) < 0.75, "the lessons take as long as they say"
    assert sum(lesson.action is not None for lesson in lessons.lessons) >= 3


def test_the_lessons_of_axes_and_allies_show_power_attack_alliance_ones_betrayal_and_victory() -> None:
    lessons = game(AXES).lessons
    assert lessons is not None
    match = guided_match(game(AXES))
    assert [str(event) for step in match.steps for event in step.events if event.name != "attack"] == [
        *("attack_roll(0, 4)", "missed(0, 1)", "power(1, 6)"),
        *("attack_roll(1, 6)", "missed(1, 2)", "power(2, 2)"),
        *("attack_roll(2, 5)", "missed(2, 0)", "power(0, 2)"),
        *("allied(0, 1)", "power(1, 5)"),
        *("attack_roll(1, 5)", "missed(1, 2)", "power(2, 1)", "voided()"),
        *("attack_roll(2, 4)", "missed(2, 0)", "power(0, 6)"),
        *("attack_roll(0, 3)", "killed(0, 1)", "power(2, 3)"),
        *("attack_roll(2, 4)", "missed(2, 0)", "power(0, 6)"),
        *("attack_roll(0, 4)", "killed(0, 2)", "won(0)"),
    ]
    assert match.result() is not None


def test_the_lessons_of_viking_axes_show_throws_shields_the_armory_a_wench_and_the_end() -> None:
    lessons = game("viking-axes").lessons
    assert lessons is not None
    match = guided_match(game("viking-axes"))
    events = [str(event) for step in match.steps[:11] for event in step.events if event.name != "places"]
    assert events == [
        *("throws(0, 1, 3)", "hits(1, 3)", "drew(1, shield4)", "drew(2, axe2)"),
        *("throws(2, 0, 2)", "hits(0, 2)", "drew(0, axe3)"),
        *("throws(0, 1, 3)", "blocked(1, 3)", "drew(1, axe3)"),
        *("throws(1, 2, 3)", "hits(2, 3)", "drew(2, shield2)", "drew(0, armory)"),
        *("drew(1, axe2)", "throws(1, 2, 2)", "blocked(2, 2)", "shields_spent(2)", "drew(2, axe2)"),
        *("throws(2, 0, 2)", "hits(0, 2)", "drew(0, shield3)"),
        *("cashes_in(0)", "drew(0, axe3)"),
        *("throws(0, 1, 3)", "blocked(1, 1)", "shields_spent(1)", "hits(1, 2)", "drew(1, armory)"),
        *("drew(2, shield3)", "drew(0, wench)", "skips(0, 1)", "turn_skipped(1)", "drew(2, axe1)"),
    ]
    assert match.view_at(lessons.positions[-2], LEARNER).state.hits.tolist()[:3] == [4, 8, 10]
    result = match.result()
    assert result is not None
    assert (result.winners, result.reason) == ((0,), "VA-7.1")


def test_the_lessons_of_axxa_show_moving_turning_paying_and_three_triplets_in_one_turn() -> None:
    lessons = game("axxa").lessons
    assert lessons is not None
    match = guided_match(game("axxa"))
    events = [game("axxa").words.event(event, ("You",)) for step in match.steps for event in step.events]
    assert events == [
        *("You moves the stack on c1 to b4", "You turns over the stack on b4: it shows a 1"),
        *("You pays the 4 on g4", "g4 now shows a 4", "You moves the stack on c7 to c6"),
        *("You pays the 4 on g4", "g4 now shows a 3", "You moves the stack on a5 to b5"),
        *("You removes the 1s on c6, b5 and b4", "c6 now shows a 2", "b5 now shows a 2", "b4 now shows a 2"),
        *("You removes the 2s on c6, b5 and b4", "c6 now shows a 2", "b5 now shows a 4", "b4 now shows a 4"),
        *("You removes the 3s on g5, g4 and g3", "g5 now shows a 4", "g4 is now empty", "g3 now shows a 6"),
        "Outstanding move by You: 3 triplets in one turn!",
    ]
    state: Any = match.state
    assert (state.current, state.paid[4]) == (4, 2), "one more 4 can be paid"


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize(("name", "language"), [*((name, "en") for name in GUIDED), (AXES, "de")])
async def test_every_step_has_an_address_and_its_task_is_highlighted(hall: OpenHall, name: str, language: str) -> None:
    lessons = game(name).lessons
    assert lessons is not None
    learner, followed = hall.person(**{"Accept-Language": language}), set[str]()
    for step, lesson in enumerate(lessons.lessons, 1):
        answer = await learner.get(f"/learn/{name}?step={step}")
        assert answer.status_code == 200
        with speaking(language):
            assert words(answer.text).startswith(gettext(lesson.words))
        assert step_of(answer.text) == step
        assert highlighted(answer.text) == ([] if lesson.action is None else [lesson.action])
        assert ("play-now" in answer.text) == (step == len(lessons.lessons))
        addresses = set(re.findall(r'href="(/[^"#]*)"', answer.text)) - followed
        followed |= addresses
        for address in addresses:
            assert (await learner.get(unescape(address))).status_code == 200, address


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("name", GUIDED)
async def test_the_right_action_leads_to_the_next_step_and_others_get_a_friendly_answer(hall: OpenHall, name: str) -> None:
    lessons = game(name).lessons
    assert lessons is not None
    learner, match = hall.person(), guided_match(game(name))
    for step, (lesson, position) in enumerate(zip(lessons.lessons, lessons.positions, strict=True), 1):
        if lesson.action is None:
            page = (await learner.get(f"/learn/{name}?step={step}&action=0")).text
            assert (step_of(page), 'class="answer"' in page) == (step, False)
            continue
        page = (await learner.get(f"/learn/{name}?step={step}&action={lesson.action}")).text
        assert (step_of(page), 'class="answer"' in page) == (step + 1, False)
        legal = match.view_at(position, LEARNER).legal
        for other in [action for action in legal if action != lesson.action][:1]:
            page = (await learner.get(f"/learn/{name}?step={step}&action={other}")).text
            assert step_of(page) == step
            assert "Good idea, but for now: " in page
        refused = next(action for action in range(game(name).actions) if action not in legal)
        page = (await learner.get(f"/learn/{name}?step={step}&action={refused}")).text
        assert step_of(page) == step
        assert match.view_at(position, LEARNER).refusal(refused)[1] + " For now: " in unescape(page)


@pytest.mark.asyncio(loop_scope="module")
async def test_other_choices_do_not_change_the_lesson(hall: OpenHall) -> None:
    learner = hall.person()
    before = (await learner.get(f"/learn/{AXES}?step=8")).text
    for action in (ALLY + 1, ATTACK + 2, 99, -1):
        await learner.get(f"/learn/{AXES}?step=8&action={action}")
    assert (await learner.get(f"/learn/{AXES}?step=8")).text == before


@pytest.mark.asyncio(loop_scope="module")
async def test_steps_out_of_range_show_the_first_or_the_last_step(hall: OpenHall) -> None:
    learner = hall.person()
    steps = [step_of((await learner.get(f"/learn/{AXES}?step={step}")).text) for step in (-3, 0, 1, 10, 11, 10**30)]
    assert steps == [1, 1, 1, 10, 10, 10]
    assert (await learner.get(f"/learn/{AXES}?step=two")).status_code == 400


@pytest.mark.asyncio(loop_scope="module")
async def test_the_hall_the_rulebook_and_the_lobby_link_to_the_lessons_of_a_game(hall: OpenHall) -> None:
    person = hall.person()
    front = (await person.get("/")).text
    for name, guided in ((AXES, True), (HOARD, False)):
        table = await person.open(name)
        for page in (front, (await person.get(f"/rules/{name}")).text, (await person.get(f"/tables/{table}")).text):
            assert (f'href="/learn/{name}"' in page) == guided
    answer = await person.get(f"/learn/{HOARD}")
    assert answer.status_code == 404
    assert "no guided first game" in answer.text
    assert (await person.get("/learn/chess")).status_code == 404
