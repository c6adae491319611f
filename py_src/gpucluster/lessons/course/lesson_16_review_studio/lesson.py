# ---
# jupyter:
#   gpucluster:
#     lesson: "16"
#     title: "Review studio: exam, cards, advice, certificate"
#     minutes: 95
#     needs: cpu
#     topics:
#       self-testing: {title: "Practice exams, and what luck does to them", link: "16#exam"}
#       fair-questions: {title: "Habits that give answers away", link: "16#habits"}
#       repetition: {title: "Cards, and when they come again", link: "16#boxes"}
#       advice: {title: "A study advisor made of rules", link: "16#advisor"}
#       evidence: {title: "Claims, dates and sources", link: "16#claims"}
#       certificates: {title: "What a certificate can show", link: "16#certificate"}
#       design-notes: {title: "A design in two lines", link: "16#conclusions"}
#     objectives:
#       - score an exam so that guessing does not pay, and calculate how far luck can go
#       - find out whether a habit of the authors gives the answers away
#       - schedule cards in four boxes, and search a deck
#       - write the rules of a study advisor, and check them against real ones
#       - put milestones in order, and identify what a claim leaves out
#       - explain what a learner's record shows, and what it does not
#       - write the design for your own problem in two lines
# ---

# %% [markdown]
# # Review studio: exam, cards, advice, certificate
#
# **95 minutes** (27 of reading, 68 of writing) · you need: plain Python, and some of the earlier lessons, so that you have something to review
#
# If you have 45 minutes, do sections 1 and 3, and exercise 16.10 at the end. If you have 15, do the exam, the due cards and the advice.
#
# After this lesson, you can
#
# * **score** an exam so that guessing does not pay, and **calculate** how far luck can go;
# * **find out** whether a habit of the authors gives the answers away;
# * **schedule** cards in four boxes, and **search** a deck;
# * **write** the rules of a study advisor, and **check** them against real ones;
# * **put** milestones in order, and **identify** what a claim leaves out;
# * **explain** what a learner's record shows, and what it does not;
# * **write** the design for your own problem in two lines.
#
# Work from top to bottom. Where you see `...`, it is your turn. `check("16.1", fair_points)` checks your answer,
# `hint("16.1")` gives the next of three hints, and `solution("16.1")` shows a solution after the hints. Unless an exercise says otherwise, a function must
# not change its arguments, and must return the same result each time.
#
# The tools of this lesson (exam, cards, hooks, advisor, certificate) belong to all lessons. Here you use them, and
# write the rule behind each. *docs/study.md* describes them.

# %% tags=["run"]
# %load_ext gpucluster
from gpucluster import lessons

lab = lessons.start("16")

# %% [markdown]
# The output above shows what you are running on. `lab.client` is an ordinary Dask client. Without `lab`, you would write
# `client = Client(LocalCluster(n_workers=2))`. The rest of this notebook is the same everywhere.

# %% tags=["run"]
import shutil
import tempfile
from collections import Counter
from datetime import datetime, timedelta
from pathlib import Path

import dask.array as da
import nbformat
import numpy as np

from gpucluster.lessons import as_numpy, check, compare, expect_failure, hint, predict, solution
from gpucluster.lessons.catalogue import find_lesson
from gpucluster.lessons.catalogue import lessons as all_lessons
from gpucluster.lessons.checking import ready
from gpucluster.lessons.figures import review as figures
from gpucluster.lessons.learner_progress import ProgressUnreadable, load, progress_file, record
from gpucluster.lessons.learner_progress.model import turned
from gpucluster.lessons.study.advice_rules import advice_on
from gpucluster.lessons.study.bank.files import all_cards, all_questions, hook_cards
from gpucluster.lessons.study.bank.topics import materials
from gpucluster.lessons.study.exam import draw

FOLDER = Path(tempfile.mkdtemp(prefix="lesson-16-"))

# %% [markdown] anchor="exam"
# ## 1. Test yourself
#
# Rereading feels like learning, but it is a weak way to learn. In an experiment by Roediger and Karpicke, students
# read a text, then either read it again or wrote down what they remembered. After five minutes, those who had reread
# it knew more. After two days,
# and after a week, those who had tested themselves knew more, although they had felt less sure. (*Psychological Science* 17, 2006,
# pages 249–255.)
#
# So begin with an exam. It has ten questions; you give one answer to each and submit once at the end. The questions
# come from all lessons, first those that no quiz has shown you, and none is repeated. Its number draws the same exam
# again; `lessons.exam()` draws a
# new one, and `lessons.exam(lessons=["05", "06"])` draws from some lessons only. Your answers go to the advisor of section 3.

# %% tags=["run"]
lessons.exam(1616)

# %% [markdown] anchor="luck"
# ### What is a score worth?
#
# Suppose you had five of ten right. How much of that is knowledge? A person who knows nothing and picks one of four options has a quarter right
# **on average**, and some people are lucky.
#
# **Predict:** of 100 people who only guess, how many get five or more of ten such questions right?

# %% tags=["predict"]
predict("16.a", 8)  # SOLUTION

# %% [markdown]
# 400,000 people guess on the workers. Each row is a person, each column a question.

# %% tags=["run"]
draws = da.random.default_rng(16).random((400_000, 10), chunks=(50_000, 10))
n_right = (draws < 0.25).sum(axis=1)
guessers = np.bincount(as_numpy(n_right.compute()), minlength=11).tolist()
figures.guessing(guessers, mark=5)
compare("16.a", round(100 * sum(guessers[5:]) / sum(guessers), 1), "of 100")

# %% [markdown]
# **Explain:** if five of ten is enough, one in thirteen guessers passes. There are two remedies: points that make
# guessing worthless **on average**, and a pass mark so high that luck **rarely** reaches it. You will write both.

# %% [markdown] exercise="16.1" title="Points that guessing does not raise" topic="self-testing"
# ### Exercise 16.1 · Points that guessing does not raise (8 min)
#
# Write `fair_points(paper)`. A paper is a list of `(kind, options, outcome)`, one for each question:
#
# * `kind`: `"choice"` (pick exactly one of the options), `"several"` (tick at least one of the options; only one
#   combination of ticks is right), `"number"` or `"text"`;
# * `options`: the number of options; `None` for a number or a text;
# * `outcome`: `"right"`, `"wrong"` or `"skipped"`.
#
# Return the sum of the points. Right is 1 point, skipped is 0. A wrong answer costs just enough that a guesser, with
# all possible answers equally likely, gets 0 **on average**. A number or text is never guessed: there, a wrong answer
# costs nothing.

# %% tags=["exercise"] exercise="16.1"
def fair_points(paper):
    """Return the points of all answers together."""
    ### BEGIN SOLUTION
    points = 0.0
    for kind, options, outcome in paper:
        if outcome == "right":
            points += 1
        elif outcome == "wrong" and options is not None:
            answers = options if kind == "choice" else 2**options - 1
            points -= 1 / (answers - 1)
    return points
    ### END SOLUTION

# %% tags=["check"] exercise="16.1"
check("16.1", fair_points)

# %% [markdown] tags=["hint-1"] exercise="16.1"
# How many different answers does a choice with four options have? Only one of them is right. What must each of the
# others cost so that all possible answers together give 0 points?

# %% [markdown] tags=["hint-2"] exercise="16.1"
# With `n` possible answers, one gives 1 point, and the other `n - 1` each give the same loss. For `"several"`, each
# option is ticked or not, and ticking nothing does not count as an answer.

# %% [markdown] tags=["hint-3"] exercise="16.1"
# A wrong answer costs `1 / (n - 1)` points, where `n` is `options` for a choice and `2**options - 1` for several.

# %% [markdown]
# **Explain:** zero on average does not mean that guessing is useless. It pays if you can rule out an option, and so
# it should, because you know something. For a choice with four options, when does it pay: above what probability of
# being right?

# %% [markdown] exercise="16.2" title="How far luck can go" topic="self-testing"
# ### Exercise 16.2 · How far luck can go (10 min)
#
# Write two functions. `chances` is a list with one probability for each question: the probability that a guess is right. They may differ.
#
# 1. `luck(chances, right)`: the probability that a guesser has **at least** `right` questions right. Calculate it exactly, without random numbers.
# 2. `pass_mark(chances, risk)`: the smallest number of right answers that a guesser reaches with a probability of at most `risk`. If
#    even all questions right is more likely than this, return one more than the number of questions.

# %% tags=["exercise"] exercise="16.2"
def luck(chances, right):
    """Return the probability of at least this many right by guessing."""
    ### BEGIN SOLUTION
    spread = [1.0]  # spread[k]: probability of k right among the questions so far
    for chance in chances:
        wrong = [(1 - chance) * one for one in spread] + [0.0]
        hit = [0.0] + [chance * one for one in spread]
        spread = [a + b for a, b in zip(wrong, hit)]
    return sum(spread[right:])
    ### END SOLUTION


def pass_mark(chances, risk):
    """Return the smallest number of right answers that is no luck."""
    ### BEGIN SOLUTION
    right = 0
    while luck(chances, right) > risk:
        right += 1
    return right
    ### END SOLUTION

# %% tags=["check"] exercise="16.2"
check("16.2", luck, pass_mark)

# %% [markdown] tags=["hint-1"] exercise="16.2"
# Go through the questions one by one, and keep a list: how likely is it to have 0, 1, 2, … right so far? How does one
# more question change this list?

# %% [markdown] tags=["hint-2"] exercise="16.2"
# After a question with chance `c`, there are two ways to have `k` right: `k` before and this one wrong, or `k - 1`
# before and this one right. At the end, add up the entries from `right` on. For ten questions, you can also try all
# 1,024 patterns.

# %% [markdown] tags=["hint-3"] exercise="16.2"
# `new[k] = (1 - c) * old[k] + c * old[k - 1]`; start with `[1.0]`. For the mark, count up from 0 until `luck` is at
# most `risk`. This always ends: having more right than there are questions has probability 0.

# %% tags=["run"]
if ready("16.2", luck, pass_mark):
    mark = pass_mark([0.25] * 10, 0.01)
    figures.guessing(guessers, lambda right: luck([0.25] * 10, right), mark)
    print(f"Ten choices of four: {mark} right or more is luck with a probability of {luck([0.25] * 10, mark):.2%}.")
    chances = []
    for question in draw(all_questions(), 1616, 10):
        n_options = len(getattr(question, "options", []))
        n_answers = {"choice": n_options, "several": 2**n_options - 1}.get(question.type)
        chances.append(1 / n_answers if n_answers else 0.0)
    print(f"The exam above: {pass_mark(chances, 0.01)} or more, with a luck of {luck(chances, pass_mark(chances, 0.01)):.2%}.")

# %% [markdown]
# **Explain:** the dots lie on the bars: the random draws on the workers and your calculation agree. The exact method
# costs a few hundred multiplications, the other one 4 million random numbers. Random draws are worth it if you cannot
# calculate.

# %% [markdown] anchor="habits"
# ### Detect a habit
#
# A guesser does not have to choose at random. Authors often make the right option **longer**, because it has to be
# exact. Someone who always picks the longest option then passes without knowing anything. This is a flaw of the exam,
# and you can measure it.

# %% [markdown] exercise="16.3" title="What a habit gives away" topic="fair-questions"
# ### Exercise 16.3 · What a habit gives away (8 min)
#
# Write `habit_gain(questions, score)`. A question is a dictionary with `"options"`, a list of two or more texts, and
# `"right"`, the index of the right one, counted from 0. `score(text)` returns a number. A guesser picks the option with the highest
# score. If several have it, the guesser picks one of these at random, all equally likely.
#
# Return the share of questions that this guesser has right on average, minus the share of a purely random guesser. Questions may
# have different numbers of options.

# %% tags=["exercise"] exercise="16.3"
def habit_gain(questions, score):
    """Return a number from -1 to 1; 0 is what chance gives."""
    ### BEGIN SOLUTION
    gain = 0.0
    for question in questions:
        scores = [score(option) for option in question["options"]]
        best = [place for place, value in enumerate(scores) if value == max(scores)]
        gain += (question["right"] in best) / len(best) - 1 / len(scores)
    return gain / len(questions)
    ### END SOLUTION

# %% tags=["check"] exercise="16.3"
check("16.3", habit_gain)

# %% [markdown] tags=["hint-1"] exercise="16.3"
# Take one question. Which options have the highest score? How likely is the guesser to pick the right one if it is
# not among these? If it is one of three?

# %% [markdown] tags=["hint-2"] exercise="16.3"
# For one question: 0 if the right option is not among the best, otherwise 1 divided by the number of the best. Chance is 1 divided by the number of options.
# The result is the mean of the differences.

# %% [markdown] tags=["hint-3"] exercise="16.3"
# `scores = [score(option) for option in question["options"]]`, `best = [place for place, value in enumerate(scores) if value == max(scores)]`, then
# `(question["right"] in best) / len(best) - 1 / len(scores)`.

# %% [markdown]
# Now apply it to this course. Its own tests reject a habit that gains 5 % or more over all questions with one right option.
#
# **Predict:** how much does always picking the longest option gain in this course, in percent? A value below 0 is a loss.

# %% tags=["predict"]
predict("16.b", 2)  # SOLUTION

# %% tags=["run"]
ours = [
    {"options": [option.text for option in question.options],
     "right": [option.correct for option in question.options].index(True)}
    for question in all_questions() if question.type == "choice"
]
habits = {
    "the longest": len,
    "the shortest": lambda text: -len(text),
    "most numbers": lambda text: sum(letter.isdigit() for letter in text),
    "most code": lambda text: text.count("`"),
    "“always”, “never”": lambda text: -sum(word in text.lower().split() for word in ("always", "never", "all", "none")),
}
if ready("16.3", habit_gain):
    gains = {name: habit_gain(ours, score) for name, score in habits.items()}
    print(f"{len(ours)} questions with one right option; gain over chance:")
    figures.habits(gains, 0.05)
    display(compare("16.b", round(100 * gains["the longest"], 1), "%"))

# %% [markdown]
# **Explain:** the last habit avoids words such as “always”. With this many questions, a gain of a few percent is
# noise. How large is the noise? With `n` questions of four options, the share varies by about $\sqrt{0.25 \cdot 0.75 / n}$.
#
# **Change:** invent your own habit. If it gains more than 5 %, please report it: you have found a flaw.

# %% [markdown] anchor="boxes"
# ## 2. Cards
#
# A card has a question on the front and its answer on the back. Say the answer **aloud**, turn the card, then record honestly whether you knew it. (In
# JupyterLab: click, or Space; then *Not yet* or *I knew it*.) All lessons have cards. You can show the cards of one lesson, or those that are due.

# %% tags=["run"]
print(f"{len(all_cards())} cards and {len(hook_cards())} memory hooks in {len(list(all_lessons()))} lessons")
lessons.cards(due=True)

# %% [markdown]
# Which cards are due? Cards that you know well should come rarely, the others often. Sebastian Leitner described
# boxes for this in 1972. Here there are four:
#
# | box | the card comes again after |
# |---|---|
# | 1 | 1 day |
# | 2 | 2 days |
# | 3 | 5 days |
# | 4 | 10 days |
#
# **Predict:** you turn a new card today, and then whenever it is due. You know it each time. How many times do you turn it in the 30 days from day 0 to day 29?

# %% tags=["predict"]
predict("16.c", 5)  # SOLUTION

# %% tags=["run"]
begin = datetime(2026, 3, 2, 12).astimezone()
turns, card, day = [], None, 0
while day < 30:
    card = turned(card, known=True, at=begin + timedelta(days=day))  # the kit's own rule
    turns.append(day)
    day = (card.due_on - begin.date()).days
print("turned on the days", turns)
compare("16.c", len(turns), "times")

# %% [markdown]
# **Explain:** five times instead of thirty. The intervals grow: 2, 5, 10, 10, … So a few minutes a day are enough for hundreds of cards.

# %% [markdown] exercise="16.4" title="Four boxes" topic="repetition"
# ### Exercise 16.4 · Four boxes (9 min)
#
# A card is `(box, day)`: its box from 1 to 4, and the day on which it is due, an integer; or `None` if it was never turned.
#
# 1. `turn(card, known, today)` returns the new `(box, day)`. A known card moves up one box, and stays in box 4 if it
#    was there; a card that was not known goes to box 1. A new card starts in box 1, so it moves to box 2 if it was
#    known. It is due again after the days of its **new** box, counted from today.
# 2. `due(cards, today)`: `cards` is a dictionary from names to cards. Return the list of the names to turn today: those
#    whose day is today or earlier, and those never turned. First come the turned cards, sorted by day, then by box,
#    then by name. Then come those never turned, by name.

# %% tags=["exercise"] exercise="16.4"
DAYS = {1: 1, 2: 2, 3: 5, 4: 10}


def turn(card, known, today):
    """Return box and day of the card after it was turned."""
    ### BEGIN SOLUTION
    box = card[0] if card else 1
    box = min(box + 1, 4) if known else 1
    return box, today + DAYS[box]
    ### END SOLUTION


def due(cards, today):
    """Return the names of the cards to turn today, in order."""
    ### BEGIN SOLUTION
    begun = [(day, box, name) for name, (box, day) in ((n, c) for n, c in cards.items() if c) if day <= today]
    new = [name for name, card in cards.items() if card is None]
    return [name for day, box, name in sorted(begun)] + sorted(new)
    ### END SOLUTION

# %% tags=["check"] exercise="16.4"
check("16.4", turn, due)

# %% [markdown] tags=["hint-1"] exercise="16.4"
# First find the new box; the day follows from it. What happens to a known card in box 4? For `due`, make two lists:
# turned cards and new ones.

# %% [markdown] tags=["hint-2"] exercise="16.4"
# `min(box + 1, 4)` moves up and stops at 4. Python sorts tuples by their first entry, then by the second, then by the
# third: put the entries in the order of sorting.

# %% [markdown] tags=["hint-3"] exercise="16.4"
# `today + DAYS[box]` with the new box. For the list: `sorted((day, box, name) for …)`, then only the names; then `sorted` of the new ones.

# %% tags=["run"]
if ready("16.4", turn):
    ways = {
        "always known": [True],
        "forgotten on the third": [True, True, False, True],
        "never known": [False],
    }
    figures.card_days({name: figures.turns_of(answers, turn, 29) for name, answers in ways.items()}, 29)

# %% [markdown] anchor="find-a-card"
# ### A deck instead of a reference table
#
# Handouts often end with a table such as this one, from the source material of these lessons:
#
# | Tool | Purpose | What you see |
# |---|---|---|
# | `dask_cudf` | DataFrames on several GPUs | partitions, each a cuDF table on a worker |
# | `LocalCUDACluster` | a cluster on one machine | one worker for each GPU |
# | Nsight Systems | a timeline of CPU and GPU | idle GPU, long copies |
# | Nsight Compute | one kernel, in detail | occupancy, throughput, arithmetic intensity |
# | `nvidia-smi` | a monitor for the command line | utilization, memory, temperature, power |
# | RMM's pool | one large piece of GPU memory, handed out in parts | fewer calls to the driver, less fragmentation |
#
# You read such a table once. Cards with a **search** are a better reference: the cards you look up come back until you know them.

# %% [markdown] exercise="16.5" title="Search the deck" topic="repetition"
# ### Exercise 16.5 · Search the deck (6 min)
#
# Write `search(cards, query)`. A card is a dictionary with `"id"`, `"front"` and `"back"`. The query is one or more
# words separated by spaces. Return the ids of all cards in which **every** word occurs, on the front or on the back.
# A part of a longer word counts (`pool` is found in `pools`), and case does not matter. Cards with more of the words
# on the front come first (a word repeated in the query counts once); otherwise they keep their order. A query without
# words finds nothing.

# %% tags=["exercise"] exercise="16.5"
def search(cards, query):
    """Return the ids of the cards that have all the words."""
    ### BEGIN SOLUTION
    words = set(query.lower().split())
    found = [
        card for card in cards
        if words and all(word in f"{card['front']}\n{card['back']}".lower() for word in words)
    ]
    found.sort(key=lambda card: -sum(word in card["front"].lower() for word in words))  # equal ones stay in order
    return [card["id"] for card in found]
    ### END SOLUTION

# %% tags=["check"] exercise="16.5"
check("16.5", search)

# %% [markdown] tags=["hint-1"] exercise="16.5"
# Convert everything to lower case first. Which function tests whether *all* items of a list are true?

# %% [markdown] tags=["hint-2"] exercise="16.5"
# `word in text` finds parts of words. `sorted` with a `key` keeps the order of equal items.

# %% [markdown] tags=["hint-3"] exercise="16.5"
# Keep the cards with `all(word in (front + "\n" + back).lower() for word in words)`, and only if there are words; then sort by `-sum(word in front …)`.

# %% tags=["run"]
deck = [{"id": card.id, "front": card.front, "back": card.back} for card in [*all_cards(), *hook_cards()]]
by_id = {card["id"]: card for card in deck}
queries = ("dask_cudf", "one worker", "nsight systems", "nsight compute", "nvidia-smi", "pool fragment")
for query in queries if ready("16.5", search) else ():
    found = search(deck, query)
    first = by_id[found[0]]["front"] if found else "no card; write one"
    print(f"{query:15} {len(found):3} found, first {found[0] if found else '-':7} {first[:50]}{'…' if first[50:] else ''}")

# %% [markdown] anchor="hooks"
# ### Memory hooks
#
# A hook is a card that sums up a whole topic in a few words. There are six.

# %% tags=["run"]
lessons.hooks()

# %% [markdown] anchor="recall"
# ### Dask in five sentences, and copies without prose
#
# Close your eyes and explain Dask in five sentences. Then compare:
#
# 1. Dask records your operations as a **graph** of tasks and does nothing until you `compute` or `persist` (lesson 02).
# 2. A **scheduler** assigns tasks to **workers** when their inputs are ready; results stay where they were computed (lessons 02 and 03).
# 3. Tables and arrays are split into **partitions** or chunks, each an ordinary table or array in one worker's memory (lesson 05).
# 4. Work within a partition needs no communication; sums travel along small trees, and only joins, sorts and the like **move all rows** (lessons 05 and 06).
# 5. When a worker dies, its results are **recomputed** from the graph (lesson 04).
#
# Every lesson has a copy without prose: `gpucluster lessons open 02 --recall`, or *Open without text* in the panel. Open
# it a week later, and explain **why each cell is there** before you run it. Here is one such cell:

# %% tags=["run"]
book = nbformat.read(find_lesson("02").recall_notebook, as_version=4)
wanted = [cell.source for cell in book.cells if 3 <= cell.source.count("\n") <= 10]
cells = [text for text in wanted if not any(word in text for word in ("lessons", "ready(", "check(", "..."))]
print(cells[len(cells) // 2])

# %% [markdown] anchor="advisor"
# ## 3. The advisor
#
# `lessons.advise()` shows what to review, and why. It uses no model and no network: a table of rules gives points to
# each topic. You can read the table, so you can disagree with it.

# %% tags=["run"]
lessons.advise()

# %% [markdown] exercise="16.6" title="The rules of the advisor" topic="advice"
# ### Exercise 16.6 · The rules of the advisor (12 min)
#
# Write `weak_topics(events, topics)`. `topics` is a dictionary from the name of a topic to the ids of its exercises,
# questions and cards. `events` lists what a learner did, oldest first; each event is a dictionary of one of these
# forms:
#
# | `kind` | other entries |
# |---|---|
# | `"check"` | `exercise`, `state`: `"passed"`, `"failed"`, or `"not_yet"` (the answer was empty) |
# | `"hint"` | `exercise`, `number`: 1, 2 or 3 |
# | `"solution"` | `exercise`: its solution was read |
# | `"question"` | `id`, `right`: true or false |
# | `"exam"` | `answers`: a dictionary from ids of questions to true or false |
# | `"card"` | `id`, `known`: true or false |
#
# A topic gets points for each of its exercises, questions and cards:
#
# | trace | points |
# |---|---|
# | an exercise was checked (empty answers do not count) and has **never** passed | 3 |
# | … and it was checked three times or more | 1 more |
# | the solution of an exercise was read, whether it has passed or not | 2 |
# | hint 3 of an exercise was read, its solution was not, and the exercise has never passed | 1 |
# | the **last** answer to a question was wrong, in a quiz or an exam | 2 |
# | a card was not known when it was **last** turned | 1 |
#
# Return a list of `(topic, points)`: only topics with at least two points, most points first, ties in the order of
# `topics`, and at most three. Ignore events about items that belong to no topic.

# %% tags=["exercise"] exercise="16.6"
def weak_topics(events, topics):
    """Return the weak topics with their points."""
    ### BEGIN SOLUTION
    checks, passed, solved, third_hint, last = Counter(), set(), set(), set(), {}
    for event in events:
        kind = event["kind"]
        if kind == "check" and event["state"] != "not_yet":
            checks[event["exercise"]] += 1
            if event["state"] == "passed":
                passed.add(event["exercise"])
        elif kind == "hint" and event["number"] == 3:
            third_hint.add(event["exercise"])
        elif kind == "solution":
            solved.add(event["exercise"])
        elif kind == "question":
            last[event["id"]] = 0 if event["right"] else 2
        elif kind == "exam":
            last.update({name: 0 if right else 2 for name, right in event["answers"].items()})
        elif kind == "card":
            last[event["id"]] = 0 if event["known"] else 1

    def points(thing):
        open_still = thing not in passed
        total = last.get(thing, 0) + 2 * (thing in solved)
        if checks[thing] and open_still:
            total += 3 + (checks[thing] >= 3)
        return total + (thing in third_hint and thing not in solved and open_still)

    table = [(name, sum(map(points, things))) for name, things in topics.items()]
    return sorted((row for row in table if row[1] >= 2), key=lambda row: -row[1])[:3]
    ### END SOLUTION

# %% tags=["check"] exercise="16.6"
check("16.6", weak_topics)

# %% [markdown] tags=["hint-1"] exercise="16.6"
# Go through the events once, and record for each item only what the table needs: the number of checks, whether it
# ever passed, whether hint 3 and the solution were read, the last answer. Then give points.

# %% [markdown] tags=["hint-2"] exercise="16.6"
# A dictionary in which each answer overwrites the previous one keeps the last one. An exam is many answers at once. Sets are enough for *ever passed*,
# *solution read* and *hint 3 read*.

# %% [markdown] tags=["hint-3"] exercise="16.6"
# Per exercise: `3 + (checks >= 3)` if it was checked and never passed, `+ 2` if the solution was read, `+ 1` if hint 3 was read, the solution was not, and it
# never passed. Sort with `key=lambda row: -row[1]`: equal rows keep their order.

# %% [markdown]
# Now your rules and the course's rules get the same evening of one learner. It is recorded in a progress file in a separate folder; your own file is not touched.

# %% tags=["run"]
evening = [
    {"kind": "check", "exercise": "06.2", "state": "failed"},
    {"kind": "hint", "exercise": "06.2", "number": 1},
    {"kind": "check", "exercise": "06.2", "state": "failed"},
    {"kind": "check", "exercise": "06.2", "state": "failed"},
    {"kind": "question", "id": "03.q1", "right": False},
    {"kind": "question", "id": "03.q1", "right": True},
    {"kind": "card", "id": "02.c1", "known": False},
    {"kind": "card", "id": "02.c2", "known": False},
    {"kind": "solution", "exercise": "05.1"},
    {"kind": "exam", "answers": {"04.q1": False, "02.q1": True}},
]
for event in evening:
    record(event, FOLDER)
of_topic = {
    one.name: [item.id for item in [*one.exercises, *one.questions, *one.cards]] for one in materials().values()
}
kits = [(advice.topic, advice.score) for advice in advice_on(materials().values(), load(FOLDER))]
mine = weak_topics(evening, of_topic)
if ready("16.6", weak_topics):
    print("the kit's rules:", kits)
    print("yours:          ", mine)
    print("the same" if kits == mine else "not the same")

# %% tags=["run"]
if ready("16.6", weak_topics):
    rows = []
    for one in materials().values():
        kinds = {"exercises": one.exercises, "questions": one.questions, "cards": one.cards}
        found = {kind: dict(weak_topics(evening, {one.title: [thing.id for thing in things]})) for kind, things in kinds.items()}
        rows += [(one.title, {kind: points[one.title] for kind, points in found.items() if points})]
    figures.points([row for row in rows if row[1]], 2)

# %% [markdown]
# **Explain:** the question that was wrong once and then right costs nothing: the table asks what you know *now*. A
# solution that was read does count, even if the exercise passed afterwards. Is that fair? It is a choice, and it is
# documented.
#
# **Change:** which rule would you add? Think of a question that was wrong three times before it was right.

# %% [markdown] anchor="broken-file"
# ### A real failure: half a file
#
# A disk is full, a laptop loses power, or someone edits the file by hand. Then only half of the progress file is left, and the learner turns the next card.

# %% tags=["run"]
file = progress_file(FOLDER)
whole = file.read_text(encoding="utf-8")
file.write_text(whole[: len(whole) // 2], encoding="utf-8")
with expect_failure(ProgressUnreadable):
    record({"kind": "card", "id": "02.c1", "known": True}, FOLDER)
left = file.read_text(encoding="utf-8")
file.write_text(whole, encoding="utf-8")  # the good copy is put back
print("the damaged file was left unchanged:", left == whole[: len(whole) // 2])

# %% [markdown]
# **Explain:** a program that finds a damaged file could overwrite it with a new one. Everything would work again, but
# the work of weeks would be lost. This program refuses, names the file, and leaves it unchanged. In a lesson you see
# this as a one-line message, and the lesson continues without saving progress.

# %% [markdown] anchor="milestones"
# ## 4. What happened when, and according to whom

# %% [markdown] exercise="16.7" title="Milestones in order" topic="evidence"
# ### Exercise 16.7 · Milestones in order (5 min)
#
# Put nine milestones in order of year. The next cell shows them, each with a letter. Move them there, or write the letters: `"X Y Z"`.

# %% tags=["run"]
lessons.parsons("16.7")

# %% tags=["exercise"] exercise="16.7"
# For example "X Y Z".
order = "D H I A F B G C E"  # SOLUTION

# %% tags=["check"] exercise="16.7"
check("16.7", order)

# %% [markdown] tags=["hint-1"] exercise="16.7"
# Three are much older than programmable graphics processors: one neuron, many layers, and margins. Which is the most recent?

# %% [markdown] tags=["hint-2"] exercise="16.7"
# Many trees came after margins and before clusters of cheap machines. The network that won the image contest needed programmable GPUs.

# %% [markdown] tags=["hint-3"] exercise="16.7"
# Perceptron, backpropagation, support vector machines, random forests, MapReduce, CUDA, AlexNet, Dask, RAPIDS.

# %% tags=["run"]
figures.milestones(figures.MILESTONES)

# %% [markdown]
# **Explain:** the methods are old. The data, the machines, and the software that connects them are what is new in the
# last twenty years. Each year is that of the publication or announcement.

# %% [markdown] anchor="claims"
# ### What a claim leaves out
#
# Slides are full of figures. Ask each of them four questions:
#
# * **source**: who counted or measured? The claim names a list, a study or a person. ("In a survey" names no source.)
# * **date**: when? At least a year.
# * **sample**, only for a share of people: who was asked, and how many?
# * **baseline**, only for "better" or "faster": compared with what?
#
# | | claim |
# |---|---|
# | A | "JupyterLab and its offshoots are the most common, with 83 % of data scientists using it on a regular basis." |
# | B | "GPUs bring performance gains of 10x or more." |
# | C | "Used by more than 3,275 organizations in 90 countries: our own count, August 2022." |
# | D | "It runs on the machine that has rank 6 of the TOP500 list: Sunway TaihuLight, 10,649,600 cores." |
# | E | "In a survey of 2023, 62 % of the teams had moved to Dask." |
# | F | "On my laptop, with my timer: 3.2 times as fast as pandas on one core of the same laptop." |
#
# A, B and the figures of C and D are in the source material of these lessons; E and F are made up. D was true in
# June 2022. The TOP500 list appears two times a year, so a rank without the month of its list cannot be checked. (In that list, rank 16 was Frontera with 448,448 cores,
# rank 30 Lassen with 288,288, rank 42 Nurion with 570,020. More cores, yet a lower rank: the list is ordered by a benchmark, not by cores.)

# %% [markdown] exercise="16.8" title="What is missing?" topic="evidence"
# ### Exercise 16.8 · What is missing? (5 min)
#
# For each claim, write the set of what is missing, from `"source"`, `"date"`, `"sample"`, `"baseline"`. If nothing is missing, write `set()`.

# %% tags=["exercise"] exercise="16.8"
missing = {
    "A": {"source", "date", "sample"},  # SOLUTION
    "B": {"source", "date", "baseline"},  # SOLUTION
    "C": set(),  # SOLUTION
    "D": {"date"},  # SOLUTION
    "E": {"source", "sample"},  # SOLUTION
    "F": {"date"},  # SOLUTION
}

# %% tags=["check"] exercise="16.8"
check("16.8", missing)

# %% [markdown] tags=["hint-1"] exercise="16.8"
# Which claims are shares of people? Only these need a sample. Which claim that something is better? Only these need a baseline.

# %% [markdown] tags=["hint-2"] exercise="16.8"
# "In a survey" is not a source: whose survey? "On my laptop, with my timer" is one. A list published every half year has its own date.

# %% [markdown] tags=["hint-3"] exercise="16.8"
# One claim has everything. Two lack only the date. The two shares of people lack source and sample, and one of them also lacks the date.

# %% [markdown] anchor="references"
# ### References that can be followed
#
# The material ends with three links: the TOP500 list of June 2020, SnapML, Dask. One of them is good. `top500.org/lists/top500/2020/06/` names a list
# **with its month**: it will show the same in ten years. `dask.org` and the SnapML page are project home pages. They
# change every month, so give the **version** you mean, and the date on which you looked. The quotation in claim A has
# no reference at all. If others can check something, write it down so that they can.

# %% [markdown] anchor="certificate"
# ## 5. A certificate, and what it can show
#
# `lessons.certificate("Ada")` writes a page with what you have shown, in your lessons folder. What can such a page
# claim? An exercise that passed without help shows more than one that passed after the solution was read. And a topic
# is shown only as well as its **weakest** exercise.

# %% [markdown] exercise="16.9" title="What is shown, and how" topic="certificates"
# ### Exercise 16.9 · What is shown, and how (7 min)
#
# Write `levels(objectives, exercises)`. `objectives` is a dictionary from each learning objective to the list of
# exercises that show it. `exercises` is from a progress file: a dictionary from an exercise to `{"state": …, "attempts": …, "hints": …, "solution_seen": …}`; exercises never started are not in it.
#
# An exercise is `"not yet"` unless its state is `"passed"`. If it passed, it is `"after the solution"` if the solution was seen, otherwise `"with hints"` if any hint was seen, otherwise `"alone"`.
# Return a dictionary from each objective to the **lowest** level of its exercises, in this order: `"not yet"`, `"after the solution"`, `"with hints"`, `"alone"`. An
# objective without any exercise is `"not yet"`.

# %% tags=["exercise"] exercise="16.9"
def levels(objectives, exercises):
    """Return how each objective was shown."""
    ### BEGIN SOLUTION
    ladder = ["not yet", "after the solution", "with hints", "alone"]

    def level(number):
        entry = exercises.get(number, {"state": "not_yet"})
        if entry["state"] != "passed":
            return 0
        return 1 if entry["solution_seen"] else 2 if entry["hints"] else 3

    return {text: ladder[min(map(level, numbers), default=0)] for text, numbers in objectives.items()}
    ### END SOLUTION

# %% tags=["check"] exercise="16.9"
check("16.9", levels)

# %% [markdown] tags=["hint-1"] exercise="16.9"
# First write a function for the level of one exercise. Number the levels, so that the lowest is a `min`.

# %% [markdown] tags=["hint-2"] exercise="16.9"
# `exercises.get(number)` is `None` for an exercise never started. Test in the order of the text: passed at all? Solution? Hints?

# %% [markdown] tags=["hint-3"] exercise="16.9"
# `min(numbers_of_levels, default=0)` also works for an objective without exercises; a list of the four words converts the number back into a word.

# %% tags=["run"]
for number, with_hint in (("02.1", False), ("02.2", True), ("02.3", False)):
    if with_hint:
        record({"kind": "hint", "exercise": number, "number": 1}, FOLDER)
    record({"kind": "check", "exercise": number, "state": "passed"}, FOLDER)
own = load(FOLDER)
of_topics = {
    topic.title: [one.id for one in find_lesson("02").exercises if one.topic == topic.name]
    for topic in find_lesson("02").topics
}
shown = levels(of_topics, {number: entry.model_dump() for number, entry in own.exercises.items()})
if ready("16.9", levels):
    for title, level in shown.items():
        print(f"{level:20} {title}")
lessons.certificate("Ada", FOLDER)

# %% [markdown]
# **Explain:** the page was made from the small file in that folder, by the same rule as yours. It lists only what has been shown. It also states what it is
# **not**: no one watched Ada while she worked, and she can edit the file. A hash or a password in the file would not
# help, because the program that writes it is also on her machine. A certificate that others can trust needs someone
# to watch, or to run the checks again on their own machine: *docs/grading.md*.
#
# Now make yours. It reports if nothing has passed yet.

# %% tags=["run"]
print("Yours would be made from", progress_file().name, "by lessons.certificate(), with your name.")
lessons.progress()

# %% [markdown] anchor="conclusions"
# ## 6. Conclusions, and your own design
#
# The talks behind these lessons conclude: designs should be **efficient, scalable and hierarchical**, and the software for communication and the frameworks above it
# should be designed **together** (co-design). You have seen a figure for each of these words:
#
# * *efficient*: only sums and counts travel, not rows (lesson 06);
# * *scalable*: the serial part limits the speed-up (lessons 03 and 09);
# * *hierarchical*: first within a machine, where links are fast, then between machines (lesson 09);
# * *co-design*: one partition per worker, because both the link and the algorithm work best with a few large messages (lessons 08 and 09).
#
# A design is good if someone else can check it. Two lines are enough to start.

# %% [markdown] exercise="16.10" title="A design in two lines" topic="design-notes"
# ### Exercise 16.10 · A design in two lines (8 min)
#
# Take one of **your own** problems. Fill in `plan`, with all sizes in GB:
#
# * `data_gb`: the data in memory; `working_room`: the factor for intermediate results, at least 1; `device_gb`: the memory of one device (or of one worker);
# * `choice`: `"one device"` if data times working room fits on one device; `"spill"` if it is at most 1.25 times as large as the device; otherwise `"cluster"`;
# * `devices`: 1, or for a cluster the number that holds the data with its working room, at least 2;
# * `travels_gb`: the amount that crosses the network in **one step** of the algorithm, for all workers together. If it is as much as the data, think again.
#
# Then write the two lines of `note`, each with at least five words and at most 120 characters. The first gives your
# choice and the reason; the second gives a number at which you will call it a success.

# %% tags=["exercise"] exercise="16.10"
plan = {
    "data_gb": 120,  # SOLUTION
    "working_room": 3,  # SOLUTION
    "device_gb": 80,  # SOLUTION
    "choice": "cluster",  # SOLUTION
    "devices": 5,  # SOLUTION
    "travels_gb": 0.001,  # SOLUTION
}
first = "A cluster of 5 devices: 360 GB with working room, and only sums travel."  # SOLUTION
second = "A success if one pass takes less than 20 s, and the centroids are those of one device."  # SOLUTION
note = f"{first}\n{second}"

# %% tags=["check"] exercise="16.10"
check("16.10", plan, note)

# %% [markdown] tags=["hint-1"] exercise="16.10"
# Start with rows × bytes per row (lesson 01). A groupby needs little room; a join or a sort needs several times its data.

# %% [markdown] tags=["hint-2"] exercise="16.10"
# Divide `data_gb * working_room` by `device_gb`. Up to 1 it fits; up to 1.25 it spills; above that, round up to get the smallest number of devices.

# %% [markdown] tags=["hint-3"] exercise="16.10"
# For k-means, sums and counts travel: centroids × columns × 8 bytes for each worker. A success criterion has a number
# and a baseline.

# %% [markdown]
# **Change:** give your two lines to a neighbour, and ask for one thing that is missing. The questions of section 4 also work here.

# %% [markdown] tags=["keypoints"]
# ## Key points
#
# * Testing yourself teaches more than rereading, although it feels worse.
# * A guesser has a quarter of the choices right. Points can make guessing worthless on average; only a high pass mark keeps luck out.
# * A test that can be passed by a habit measures the habit. Measure it before the exam.
# * Boxes: known, one up; not known, back to the first. The intervals grow, so the work does not.
# * An advisor can be a table that you can read and disagree with.
# * A figure needs its source and its date; a share its sample; a gain its baseline.
# * A certificate from your own file is for you. For others, someone has to run the checks again.

# %% [markdown]
# ## Check yourself

# %% tags=["quiz"]
lessons.quiz("16")

# %% tags=["cards"]
lessons.cards("16")

# %% [markdown] anchor="where-it-runs"
# ## On a laptop, on one GPU, on a cluster
#
# * **Laptop:** as above. Only the guessers of section 1 run on the workers; everything else is plain Python about your own progress.
# * **One GPU:** the random numbers of section 1 are drawn there. Nothing else changes.
# * **Run on a GPU:** not yet.
# * **Cluster:** in a class, these records appear together on the instructor's page if learners agree: *docs/class.md*. For marks, see *docs/grading.md*.

# %% tags=["run"]
shutil.rmtree(FOLDER, ignore_errors=True)
lab.close()

# %% [markdown] tags=["instructor"]
# ### For the instructor
#
# * **Goal:** learners leave with a habit (exam, cards, advice) and know what a score, a claim and a certificate are worth.
# * **Time:** 30 for section 1 (10 of them for the exam) · 22 for section 2 · 15 for section 3 · 12 for section 4 · 8 for section 5 · 8 for section 6 = 95. With 45
#   minutes: sections 1 and 3 without 16.3, and 16.10. At the end of a three-day course, 15 minutes: exam, due cards, advice.
# * **On the projector:** the bars of the guessers, before anyone says how many passed. Vote on the longest option:
#   most expect a gain. Show the advisor's table beside its advice.
# * **Frequent mistakes:** 16.1: a loss of `1/n` instead of `1/(n-1)`; *several* scored like *choice*. 16.2: exactly instead of at least; one mean chance for all
#   questions. 16.3: the first of several equal options; a fixed chance of a quarter. 16.4: the days of the old box; new cards first. 16.5: any word instead of all.
#   16.6: a question that was wrong once and is now right; an exercise that passed and then failed. 16.9: the best level instead of the lowest.
# * **16.10 has a rubric** beyond the check, two points each: the sizes are from a real problem; the working room fits
#   the operation (lesson 01); the network traffic is derived, not guessed; success names its baseline. Below five of
#   eight, ask for a second version.
# * **If you run late:** give 16.5 and 16.8 as homework. 16.7 is a good exercise after lunch.
# * **Say openly:** this course's certificate is for the learner. If your institution needs one, grade the notebooks on your own machine.
