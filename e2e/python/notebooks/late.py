# %% what an earlier cell's thread prints belongs to the cell that the kernel says
import threading

from IPython.display import display

go = threading.Event()


def talks():
    go.wait()
    print("said later 11")
    display("shown later 12")


talker = threading.Thread(target=talks, daemon=True)
talker.start()
print("at once 13")
# %%
go.set()
talker.join()
print("the next cell 14")
