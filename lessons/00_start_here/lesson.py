# %% [markdown] part="Start"
# # 00 · Start here
#
# You can train models for a year without ever looking at a gradient. Then one day a gradient is `None`, and no error
# says why. This course prepares you for that day. You predict what code does, run it, and fix broken programs, and a
# check tells you what is wrong with *your* answer. Here you try all of that on small examples.
#
# **You will learn to**
#
# - run a lesson, and commit to a prediction before you see the result;
# - check an answer, and use what the check tells you;
# - find a hint, and the next lesson.
#
# **Before you start**: you can write a Python function, and you have met tensors, the arrays that TensorFlow computes
# with. **Time**: {time}.

# %% tags=["nbval-ignore-output"]
from course_utils import check, plot_lesson_map, predict, start_lesson

start_lesson("00")

import tensorflow as tf

# %% [markdown]
# Every lesson starts with the cell above. Click it and press **Shift+Enter** to run it. It takes a moment, because
# TensorFlow is large. Then it lists the lesson's exercises, and shows where to continue. Run it again after every
# restart of the kernel.

# %% [markdown]
# ## How do I run a lesson?
#
# Run the cells in order, from top to bottom. Here is the next one:

# %%
x = tf.constant(3.0)
y = x**2

print(f"y = {y.numpy():.1f}")

# %% tags=["claims"]
assert y.numpy() == 9.0

# %% [markdown]
# When you read a correct result, you feel that you already knew it. To find out whether you did, say your answer
# first. The course asks you before every surprise. In the cell below the question, type a letter between the quotes,
# and run the cell. It shows the right answer, and why the wrong ones are tempting. Wrong predictions cost nothing.
#
# > **Predict**
# >
# > `tf.constant(7)` and `tf.constant(2)` are 32-bit integers. What dtype is their quotient, `tf.constant(7) /
# > tf.constant(2)`?

# %%
predict("00.a", "")

# %%
quotient = tf.constant(7) / tf.constant(2)

print(quotient.numpy(), quotient.dtype.name)

# %% tags=["claims"]
assert quotient.dtype == tf.float64 and quotient.numpy() == 3.5

# %% [markdown]
# `float32` and `int32` are good guesses: most numbers in TensorFlow are `float32`, and both of these are `int32`. But
# 3.5 is no integer, and `float32` cannot hold every 32-bit integer exactly. `float64` can, so TensorFlow converts both
# numbers to `float64` before it divides.

# %% [markdown]
# ## How steep is a curve?
#
# This course is about slopes. Take the curve y = x² at x = 3, and move x up by a small step. How fast does y grow,
# compared with x? That ratio is called a **rate of change**:

# %%
step = 0.1
rate = ((3 + step) ** 2 - 3**2) / step

print(f"step {step}: rate {rate:.3f}")

# %% [markdown]
# ### Exercise 00.1: predict
#
# Some predictions are exercises. With the step 0.1 the rate is 6.1. Which number does the rate approach as the step
# shrinks toward 0? That number is the **slope** of the curve at 3. Write it in place of the `...`, run the cell, and
# then run the check below it.

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
# For the step 0.01, y grows from 9 to 9.0601. Divide 0.0601 by 0.01, then imagine ever smaller steps.
#
# </details>
# <details><summary>Hint 2</summary>
#
# The slope of x² at any x is 2x.
#
# </details>
#
# To see the rate approach its limit, run this cell:

# %%
for step in [0.1, 0.01, 0.001]:
    rate = ((3 + step) ** 2 - 3**2) / step
    print(f"step {step:5}: rate {rate:.3f}")

# %% tags=["claims"]
assert abs(rate - (6 + step)) < 1e-9

# %% [markdown]
# The rate is always 6 plus the step. So it approaches 6.

# %% [markdown]
# ## What does a check tell you?
#
# A check never stops your notebook. It has four outcomes:
#
# | sign | outcome | what it means |
# |---|---|---|
# | ✓ | passed | your answer is right, even for inputs that the check drew at random |
# | ✗ | failed | your answer is wrong, and the check tells you what to change |
# | ○ | not attempted | the placeholder, `...` or `raise NotImplementedError`, is still there |
# | ! | error | your code raised an exception, or took too long |
#
# Wrong answers cost nothing. Give one on purpose in the next exercise.
#
# ### Exercise 00.2: complete
#
# Write the rate of change as a function of any `f`, any `x` and any step `h`. First leave out the division, and see
# what the check says. Then fix it.

# %% exercise="00.2"
def rate_of_change(f, x, h):
    """Return how fast f grows between x and x + h: one number."""
    ### BEGIN SOLUTION
    return (f(x + h) - f(x)) / h
    ### END SOLUTION

# %%
check("00.2", rate_of_change)

# %% [markdown]
# Pass the function itself to `check`, without parentheses. The check calls it with inputs of its own.
#
# <details><summary>Hint 1</summary>
#
# `f` is a function. `f(x)` is its value at x, and `f(x + h)` is its value one step further.
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
# Code can run without an error and still be wrong. So the third kind of exercise, after *predict* and *complete*, is
# *repair*. A **loss** is the
# number that training minimizes. Here are two predictions, one too high and one too low, and the loss that a program
# reports for them:

# %%
predictions = tf.constant([3.0, 1.0])
targets = tf.constant([2.0, 2.0])

print("errors:", (predictions - targets).numpy())

reported_loss = tf.reduce_mean(predictions - targets) ** 2

print(f"reported loss: {reported_loss.numpy():.1f}")

# %% tags=["claims"]
assert reported_loss.numpy() == 0.0

# %% [markdown]
# Both predictions are wrong, but the loss says that they are perfect.
#
# ### Exercise 00.3: repair
#
# Here is the same computation as a function. It has one bug. It should return the mean squared error, which is the
# average of the squared differences.

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
# The differences are +1 and -1. What is their mean, and what is the mean of their squares?
#
# </details>
# <details><summary>Hint 2</summary>
#
# The square belongs inside `tf.reduce_mean`, around the difference in parentheses.
#
# </details>

# %% [markdown]
# ## Checkpoint
#
# Answer each question before you open the answer.
#
# <details><summary>1. A check says "not attempted", although you wrote something. What happened?</summary>
#
# Either you did not rerun the cell after you changed it, so the check saw the old version, or the line `raise
# NotImplementedError` is still there.
#
# </details>
# <details><summary>2. What do you pass to <code>check</code>: <code>mean_squared_error</code> or
# <code>mean_squared_error(y_hat, y)</code>?</summary>
#
# `mean_squared_error`, the function itself. The check calls it.
#
# </details>
# <details><summary>3. As the step shrinks, what does the rate of change approach?</summary>
#
# The slope of the curve at that point.
#
# </details>

# %% [markdown]
# ## Recap
#
# - Press Shift+Enter to run a cell, and run the cells in order.
# - Predict before you run: a surprise teaches more than a page of text.
# - Run the check, read the message, and change your answer. Hints are below the check.
# - The slope is what the rate of change (f(x + h) - f(x)) / h approaches as h shrinks.
#
# **To remember**: predict, run, and let the check tell you what is wrong.
#
# **Next**: [01 · The first tape](01_first_tape.ipynb), where TensorFlow finds the slope for you.
#
# Do you have only one day? Take this lesson and the essentials of 01, 02, 04, 06, 09, 11, 12 and 13. They need none of
# the lessons in between. (The arrows of the map are for the whole course.)
#
# Have you used gradient tapes before? Then run `from course_utils import place` and `place()` in a new cell. It asks up
# to twelve questions, in about ten minutes, and tells you which lessons you can skip.

# %% [markdown]
# ## Going deeper
#
# Every lesson ends with a section like this one. It is folded when you open the notebook, nothing later needs it, and
# its time is listed separately. Here it tells you how to find your way, and what to do if something does not run.

# %% [markdown]
# ### Where am I, and where can I go?
#
# Every check and every first prediction is saved. After `from course_utils import reset, status`, in a cell of
# any notebook,
#
# - `status()` shows what you have passed, and what is next;
# - `reset("00.2")` puts one exercise back to its start. Your code is kept in a file, and what you passed stays passed.
#
# In a terminal of JupyterLab (*File > New > Terminal*), `course status` and `course reset 00.2` do the same.
#
# The figure shows all lessons from top to bottom. An arrow leads from a lesson to one that builds on it. Part I is
# about the tape itself. Part II builds training loops from it. In Part III you train what `fit` cannot express. The
# lessons with a thick outline are the course in a day.

# %%
ax = plot_lesson_map()

# %% [markdown]
# ### What if something does not run?
#
# - A `NameError` for `check` or `tf`: run the first cell again.
# - Strange results: choose *Kernel > Restart Kernel*, and run all cells from the top.
# - Anything else: run `course doctor` in a terminal to learn what is missing, and how to fix it.
#
# Keep `start_lesson` above `import tensorflow`, because it silences TensorFlow's start-up messages. It also gives
# Python, NumPy and TensorFlow a fixed random seed, so that your numbers match the text.
#
# The folder `solutions`, if your copy of the course has one, holds every lesson with its answers. There you also see
# how each claim of the text is tested: in folded cells that contain an `assert`, which stops with an error if the
# claim is false. Try the hints first.
