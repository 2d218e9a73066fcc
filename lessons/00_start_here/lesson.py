# %% [markdown] part="Start"
# # 00 · Start here
#
# You can train models for a year without looking at a gradient. Then one is `None`, and nothing says
# why. This course is for that day. It is made of notebooks that you run, break and repair, and of
# checks that tell you *what* is wrong with an answer.
#
# **You will learn to**
#
# - run a lesson, and commit to a prediction before a cell shows you the truth;
# - check an answer, and read what the check says;
# - find a hint, see your progress, and put an exercise back to its start.
#
# **Before you start**: you can write a Python function, and you have met TensorFlow's tensors, the
# arrays that it computes with. **Time**: {time}.

# %% tags=["nbval-ignore-output"]
from course_utils import check, plot_lesson_map, predict, start_lesson

start_lesson("00")

import tensorflow as tf

# %% [markdown]
# Every lesson starts with this cell. Click it and press **Shift+Enter**: the cell runs, and the next
# one is selected. Run it first, and again when you come back or restart the kernel: without it, a cell
# that uses one of its names, such as `check`, stops with a `NameError`. It takes a while, because
# TensorFlow is large. Then a few lines say what is running, and below them stand the exercises of the
# lesson, and where to go on.
#
# `start_lesson` holds back TensorFlow's usual pages of messages, and so comes before `import tensorflow`.
# It also gives Python, NumPy and TensorFlow a fixed random seed. A generator that you make yourself, with
# `np.random.default_rng()`, needs a seed of its own.

# %% [markdown]
# ## What is in a cell?
#
# A code cell shows one thing. Run the cells in order, from top to bottom: each may use names from
# the cells above it.

# %%
x = tf.constant(3.0)
y = x**2

print(f"y = {y.numpy():.1f}")

# %% tags=["claims"]
assert y.numpy() == 9.0

# %% [markdown]
# The last line is an **assertion**: if it were false on your machine, the cell would stop with an error.
# Most of what the text says about TensorFlow has one beside it. When you read, you may skip the
# assertions. When you doubt a sentence, read them first; each speaks for its own case only.
#
# A section whose heading begins with *Further* can wait: it is folded, a click on the arrow beside its heading opens
# it, and nothing after it needs it.

# %% [markdown]
# ## Why predict before you run?
#
# Reading a correct result feels like knowing it. To find out whether you did know, say your answer first, before you
# read on. The course asks for that at every surprise. In the `predict` cell below the question, type a letter between
# the quotes (a word or a number, where no letters are listed), and run it. It tells you the truth, and why a wrong
# answer tempts. Your first answer is kept, and gives no points.
#
# > **Predict**
# >
# > `tf.constant(7)` and `tf.constant(2)` are 32-bit integers. Which dtype does their quotient have?

# %%
predict("00.a", "")

# %%
quotient = tf.constant(7) / tf.constant(2)

print(quotient.numpy(), quotient.dtype.name)

# %% [markdown]
# There is a second division, `//`. Of whole numbers it rounds down, as in Python:

# %%
whole = tf.constant([7, -7]) // tf.constant(2)

print(whole.numpy(), whole.dtype.name)

# %% tags=["claims"]
assert list(whole.numpy()) == [7 // 2, -7 // 2] == [3, -4]
assert whole.dtype == tf.int32 and quotient.dtype != whole.dtype

# %% [markdown]
# ### Exercise 00.1: predict
#
# Some predictions are exercises, with a check. How steep is the curve y = x² at the point x = 3? That is: when x
# grows by a tiny amount, y grows by how many times that amount? Give the number that ever smaller amounts lead to:
# replace the `...` with it, run the cell, and then run the check below it.

# %% exercise="00.1"
# One number: the slope of y = x**2 at x = 3.
### BEGIN SOLUTION
steepness = 6.0
### END SOLUTION

# %%
check("00.1", steepness)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# At x = 3, y is 9. At x = 3.01, y is 9.0601: y grew by 0.0601 and x by 0.01. Divide, and think of
# ever smaller steps.
#
# </details>
# <details><summary>Hint 2</summary>
#
# The slope of x² at any x is 2x.
#
# </details>

# %% [markdown]
# Now the truth: smaller and smaller steps in x, and the growth of y divided by the step. Such a
# quotient is a **rate of change**.

# %%
for step in (0.1, 0.01, 0.001):
    rate = ((3 + step) ** 2 - 3**2) / step
    print(f"step {step:5}: rate {rate:.3f}")

# %% tags=["claims"]
assert quotient.dtype == tf.float64  # of the prediction above

# %% [markdown]
# ## What does a check tell you?
#
# It has four outcomes, and it never stops your notebook.
#
# | sign | outcome | what it means |
# |---|---|---|
# | ✓ | passed | right; a function, also on inputs that the check drew at random |
# | ✗ | failed | wrong, with the mistake it found and what to change |
# | ○ | not attempted | the `...` or `raise NotImplementedError` that was given still stands, or still runs |
# | ! | error | your code raised an exception, or was stopped: after ten seconds of work, or a minute of waiting |
#
# Wrong answers cost nothing, and their messages teach: give one on purpose in the next exercise.

# %% [markdown]
# ### Exercise 00.2: complete
#
# Write the rate of change as a function of any `f`, any `x` and any step `h`: the growth of `f` from
# `x` to `x + h`, divided by `h`. Before you do it right, leave the division out, and see what the check
# says.

# %% exercise="00.2"
def rate_of_change(f, x, h):
    """Return how fast f grows between x and x + h: one number."""
    ### BEGIN SOLUTION
    return (f(x + h) - f(x)) / h
    ### END SOLUTION

# %%
check("00.2", rate_of_change)

# %% [markdown]
# A check takes the function itself, without parentheses, because it calls the function on its own
# inputs.
#
# <details><summary>Hint 1</summary>
#
# `f` is a function: `f(x)` is its value at x, and `f(x + h)` its value one step further.
#
# </details>
# <details><summary>Hint 2</summary>
#
# New value minus old value, in parentheses, then divided by `h`.
#
# </details>

# %% [markdown]
# ## What if the code runs and is wrong?
#
# That is the usual case, and the third kind of exercise, after *predict* and *complete*: **repair**. Here are two
# predictions, one too high by 1 and one too low by 1, and what a program computed from them as its **loss**, the
# number that training makes small.

# %%
predictions = tf.constant([3.0, 1.0])
targets = tf.constant([2.0, 2.0])
reported_loss = tf.reduce_mean(predictions - targets) ** 2

print(f"loss = {reported_loss.numpy():.1f}")

# %% tags=["claims"]
assert reported_loss.numpy() == 0.0
assert abs(rate - (6 + step)) < 1e-9  # of Exercise 00.1

# %% [markdown]
# Both predictions are wrong, and the loss says that they are perfect.

# %% [markdown]
# ### Exercise 00.3: repair
#
# Below is that computation as a function, with this one fault. Change the function so that it returns the mean
# squared error: the average of the squared differences.

# %% exercise="00.3"
def mean_squared_error(y_hat, y):
    # y_hat and y have shape (n,); the result is one number.
    ### BEGIN SOLUTION
    #| return tf.reduce_mean(y_hat - y) ** 2
    return tf.reduce_mean((y_hat - y) ** 2)
    ### END SOLUTION

# %%
check("00.3", mean_squared_error)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# For the differences +1 and -1: what is their mean, and what is the mean of their squares?
#
# </details>
# <details><summary>Hint 2</summary>
#
# The square belongs inside `tf.reduce_mean`, around a difference that has parentheses of its own.
#
# </details>

# %% [markdown]
# ## Where am I, and where can I go?
#
# Every check is remembered, and every first prediction. In a cell of any notebook, after
# `from course_utils import reset, status`,
#
# - `status()` shows on the map what you have passed, and what is next (harder exercises give more points);
# - `reset("00.2")` puts one exercise back to its start (your text is kept in a file, and a pass stays a
#   pass).
#
# In a terminal of JupyterLab (*File > New > Terminal*), `course status` and `course reset 00.2` do the
# same, and `course doctor` says what does not work, and how to mend it.
#
# Where your copy of the course has a folder `solutions`, it holds every lesson with its answers. Open
# the hints first.

# %% [markdown]
# The figure shows the lessons from top to bottom, each part in a colour of its own. An arrow leads from a lesson to
# one that builds on it. Part I is about the tape itself: what it records, why a gradient is missing, and how to check
# one. Part II builds training loops from it. Part III trains what `fit` cannot express, and builds on Parts I and II.

# %%
ax = plot_lesson_map()

# %% [markdown]
# ## Checkpoint
#
# Answer before you open.
#
# <details><summary>1. A check says "not attempted" although you wrote something. What happened?</summary>
#
# Either the cell with your answer did not run after you changed it, so the check saw the old one; or
# the line `raise NotImplementedError` still runs: it stands above your code, or below code without a `return`.
#
# </details>
# <details><summary>2. A sentence in a lesson surprises you. How do you find out whether it holds on
# your machine?</summary>
#
# Look for an assertion in the cell beside it, and run it: it would stop if it were false. If none fits your case,
# write one.
#
# </details>
# <details><summary>3. What is lost when you run <code>reset("00.2")</code>?</summary>
#
# Nothing. That one cell goes back to its start, your text is kept in a file whose name is shown, and
# what you passed stays passed.
#
# </details>

# %% [markdown]
# ## Recap
#
# - Shift+Enter runs a cell; run them in order.
# - Predict first: a surprise is worth more than a page.
# - `check("00.1", answer)` names the mistake; it takes functions without parentheses.
# - Hints are under the check, your progress is in `status()`.
# - A slope is what the rate of change (f(x + h) - f(x)) / h tends to as h shrinks.
#
# **To remember**: predict, run, and let the check say what is wrong.
#
# **Next**: [01 · The first tape](01_first_tape.ipynb), in which TensorFlow finds the slope by itself.
