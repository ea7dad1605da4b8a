# %% a group of exceptions with notes and causes
def load(n):
    try:
        int(f"n/a {n}")
    except ValueError as e:
        e.add_note(f"in row {n}")
        raise LookupError(f"row {n} is bad") from e


errors = []
for n in (11, 12):
    try:
        load(n)
    except LookupError as e:
        e.add_note(f"note of {n}")
        errors.append(e)
group = ExceptionGroup("two rows failed", errors)
group.add_note("of the group 13")
raise group
# %%
try:
    raise ExceptionGroup("first 21", [ValueError("one 22")])
except* ValueError as g:
    raise RuntimeError("handled 23") from g
# %%
try:
    raise ExceptionGroup("mixed", [ValueError("value 31"), TypeError("type 32")])
except* ValueError:
    print("value handled 33")
# %%
raise BaseExceptionGroup("nested 41", [KeyboardInterrupt("stop 42"), ExceptionGroup("deep 43", [OSError(2, "no file", "data 44.csv")])])
# %%
class Wrapped(Exception):
    pass


try:
    try:
        try:
            {}["key 51"]
        except KeyError as e:
            raise Wrapped("second 52") from e
    except Wrapped:
        [][53]
except IndexError as e:
    e.add_note("note 54")
    raise SystemError("last 55") from e
# %%
raise ValueError
# %%
raise ValueError("a" * 300 + "\n" + "second line 61")
# %%
raise UnicodeDecodeError("utf-8", b"caf\xe9 71", 3, 4, "invalid continuation byte")
# %%
import subprocess

subprocess.run(["false", "81"], check=True)
# %%
exec("def f(:\n  pass")
# %%
def g():
return 91
# %%
import module_that_does_not_exist_92
# %%
print("printed 93")
exit_code = __import__("sys").exit(94)
