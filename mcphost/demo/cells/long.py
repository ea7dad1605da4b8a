import time

for minute in range(600):
    print(f"step {minute + 1} of 600", flush=True)
    time.sleep(1)
