# %% [markdown] part="Part I"
# # 01 · A sample
#
# **Time**: 5 minutes.

# %%
from course_utils import check, predict, start_lesson

start_lesson("01")

# %% [markdown]
# > **Predict**
# >
# > Rows or columns?

# %%
predict("01.a", "")

# %% [markdown]
# ### Exercise 01.1: complete


# %% exercise="01.1"
def slope(x):
    # Of the square.
    ### BEGIN SOLUTION
    return 2 * x
    ### END SOLUTION


# %%
check("01.1", slope)

# %% [markdown]
# <details><summary>Hint</summary>
# The rule of powers.
# </details>

# %% [markdown]
# ### Exercise 01.2: predict

# %% exercise="01.2"
# A tuple.
### BEGIN SOLUTION
shape = (4, 2)
### END SOLUTION

# %%
check("01.2", shape)

# %% [markdown]
# <details><summary>Hint</summary>
# Two numbers.
# </details>

# %% [markdown]
# ### Exercise 01.3: repair


# %% exercise="01.3"
def double(x):
    # Returns twice x.
    ### BEGIN SOLUTION
    #| return x
    return x + x
    ### END SOLUTION


# %%
check("01.3", double)

# %% [markdown]
# <details><summary>Hint</summary>
# Twice.
# </details>
