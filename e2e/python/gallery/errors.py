# %% what was printed stays
print("first")
int("not a number")

# %% the kernel goes on; a syntax error
print("second"
x = = 1

# %% an exception with a cause
def outer():
    try:
        {}["missing"]
    except KeyError as e:
        raise RuntimeError("wrapped") from e


outer()

# %% of one's own, with text beyond ASCII
class 失敗(Exception):
    pass


raise 失敗("うまくいかなかった")

# %% SystemExit is an error like others
raise SystemExit(3)

# %% and all goes on
"still here"
