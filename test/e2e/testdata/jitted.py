# Calls two functions in turn, a quarter of a second each, for two minutes. It prints for each call its name, and when it
# began and ended, in nanoseconds since 1970. To be run with -X perf_jit (Python 3.13).
import os
import sys
import time


def alpha(until):
    n = 0
    while time.time_ns() < until:
        n += 1
    return n


def beta(until):
    n = 1
    while time.time_ns() < until:
        n ^= 7
    return n


alpha(0)
beta(0)
others = {}
for i in range(400):  # Python keeps what it writes in memory until there are some KiB
    exec(f"def other_{i}(): pass", others)
    others[f"other_{i}"]()

print("ready", os.getpid(), file=sys.stderr, flush=True)
for _ in range(240):
    for function in alpha, beta:
        begin = time.time_ns()
        function(begin + 250_000_000)
        print(function.__name__, begin, time.time_ns(), flush=True)
