"""Waiting, sleeping, timers: everything at its exact virtual time."""
from cases import test
from harness import holds, same, sent


def every_70_ms(start, how):
    engine = start.ready("waits", how)
    same(engine.open(), {"wake": 40000})  # it waited at 0 and at 70 ms; the boot took 100
    same(engine.time(40000), {"wake": 110000})
    same(engine.datagram(50000, "a"), {"tx": [sent("a at 150000 after 2")], "wake": 120000})
    same(engine.datagram(120000, "b"), {"tx": [sent("b at 220000 after 2")], "wake": 190000})  # at the very time at which it wakes
    same(engine.time(190000), {"wake": 260000})
    same(engine.time(200000), {"wake": 260000})  # asked too early
    same(engine.datagram(200001, "c", 2, port=7), {"tx": [sent("c at 300001 after 3", 2, port=7)], "wake": 270001})
    engine.close()
    engine.bye()
    return engine


@test
def select_waits_and_says_what_is_left(start):
    holds("waits select" in every_70_ms(start, "select").report(), "the report says how it waits")


@test
def pselect_waits(start):
    every_70_ms(start, "pselect")


@test
def poll_waits(start):
    holds("waits poll" in every_70_ms(start, "poll").report(), "the report says how it waits")


@test
def ppoll_waits(start):
    every_70_ms(start, "ppoll")


@test
def epoll_waits(start):
    every_70_ms(start, "epoll")


@test
def epoll_waits_for_edges(start):
    every_70_ms(start, "edge")


@test
def an_edge_is_told_once(start):
    engine = start.ready("waits", "edge-lazy")
    same(engine.open(), {"wake": 50000})
    same(engine.datagram(0, "a"), {"tx": [sent("a at 100000 after 1")], "wake": 5000})
    same(engine.datagram(1000, "b"), {"wake": 5000})
    same(engine.datagram(2000, "c"), {"wake": 5000})
    same(engine.time(5000), {"tx": [sent("b at 105000 after 1")], "wake": 10000})
    same(engine.time(10000), {"wake": 80000})  # one is left, and was told
    same(engine.datagram(20000, "d"), {"tx": [sent("c at 120000 after 1")], "wake": 25000})
    same(engine.time(25000), {"wake": 95000})
    engine.bye()


@test
def blocking_receives_know_no_time(start):
    engine = start.ready("receives", "blocking")
    same(engine.open(), {})
    same(engine.datagram(12345, "a"), {"tx": [sent("a at 112345 after 0")]})
    same(engine.time(20000), {})
    same(engine.datagram(20001, "b"), {"tx": [sent("b at 120001 after 0")]})
    same(engine.ask(op="observe", host=0), {})
    holds("waits recvfrom" in engine.report(), "the report says how it waits")
    engine.bye()


@test
def a_socket_has_a_time_out(start):
    engine = start.ready("receives", "timeout")
    same(engine.open(), {"wake": 20000})  # the fourth began at 90 ms
    same(engine.time(20000), {"wake": 50000})
    same(engine.datagram(30000, "a"), {"tx": [sent("a at 130000 after 4")], "wake": 60000})
    engine.bye()


def busily(start, how, calls):
    engine = start.ready("receives", how, SPIN=str(calls))
    same(engine.open(), {"wake": 0})
    same(engine.time(0), {"wake": 1000})
    same(engine.time(1000), {"wake": 2000})
    reply = engine.datagram(1500, "a")
    same((reply["tx"][0]["bytes"].split(" after ")[0], reply["wake"]), ("a at 101500", 2500))
    same(reply["tx"][0]["bytes"].split(" after ")[1], str(101 * calls + calls - 1) if how != "looking" else reply["tx"][0]["bytes"].split(" after ")[1])
    holds("waits busy" in engine.report(), "the report says how it waits")
    engine.bye()
    return reply


@test
def busy_waiting_is_counted_in_calls(start):
    same(busily(start, "busy", 100), busily(start, "busy", 100))


@test
def busy_waiting_without_flags_is_counted(start):
    busily(start, "dontwait", 10)


@test
def looking_how_much_there_is_is_counted(start):
    busily(start, "looking", 50)


@test
def several_datagrams_come_in_one_call(start):
    engine = start.ready("receives", "several")
    engine.open()
    same(engine.datagram(0, "a"), {"wake": 5000})
    same(engine.datagram(1000, "b"), {"wake": 5000})
    same(engine.datagram(2000, "c", 2), {"wake": 5000})
    same(engine.time(5000), {"tx": [sent("a"), sent("1 at 105000")], "wake": 10000})
    same(engine.time(10000), {"tx": [sent("b"), sent("c", 2), sent("2 at 110000")]})
    engine.bye()


@test
def a_datagram_can_be_looked_at_and_cut(start):
    engine = start.ready("receives", "peeking")
    engine.open()
    same(engine.datagram(0, "abcde"), {"tx": [sent("abcde: 3 of 5, abc")]})
    engine.bye()


@test
def a_queue_that_nobody_reads_is_bounded(start):
    engine = start.ready("receives", "several")
    engine.open()
    same(engine.datagram(0, "a"), {"wake": 5000})
    for i in range(300):
        same(engine.datagram(1, f"{i:04}" + 1000 * "x"), {"wake": 5000})
    reply = engine.time(5000)
    same(reply["wake"], 10000)
    texts = []
    for now in range(10000, 1000000, 5000):
        reply = engine.time(now)
        texts += [one["bytes"][:4] for one in reply.get("tx", []) if len(one["bytes"]) > 50]
        if "wake" not in reply:
            break
    same(texts, [f"{i:04}" for i in range(len(texts))])
    holds(200 < len(texts) < 300, f"{len(texts)} of 300 fit")
    engine.bye()


def each_millisecond(start, how):
    engine = start.ready("sleeps", how)
    same(engine.open(until=20000), {"wake": 20000})
    same(engine.time(20000, until=30000), {"wake": 30000})
    same(engine.datagram(30000, "a"), {"tx": [sent("a at 130000")], "wake": 31000})  # at the very time at which it looks
    same(engine.time(31000, until=200000), {"wake": 50000})
    # What it sends may be answered: from there on nothing is promised, and it asks.
    same(engine.time(50000, until=100000), {"tx": [sent("tick 150000")], "wake": 51000})
    same(engine.time(51000, until=100000), {"wake": 100000})
    same(engine.time(100000, until=100500), {"tx": [sent("tick 200000")], "wake": 101000})
    same(engine.datagram(100500, "b", until=300000), {"wake": 101000})  # it looks only when it has slept
    same(engine.time(101000, until=101000), {"tx": [sent("b at 201000")], "wake": 102000})
    same(engine.time(102000, until=102001), {"wake": 103000})
    same(engine.time(103000), {"wake": 104000})  # nothing is known: each is asked for
    same(engine.time(104000, until=149999), {"wake": 150000})
    same(engine.datagram(149999, "c", until=150001), {"wake": 150000})
    same(engine.time(150000, until=150001), {"tx": [sent("c at 250000"), sent("tick 250000")], "wake": 151000})
    same(engine.time(151000, until=99000000), {"wake": 200000})
    engine.close()  # with something held back
    same(engine.open(now=7000000, until=7003500), {"wake": 7004000})
    same(engine.datagram(7003999, "d"), {"wake": 7004000})
    same(engine.time(7004000), {"tx": [sent("d at 104000")], "wake": 7005000})
    same(engine.time(7005000, until=99000000), {"wake": 7050000})
    same(engine.time(7050000, until=99000000), {"tx": [sent("tick 150000")], "wake": 7051000})
    engine.close()
    engine.bye()


@test
def a_sleeper_of_a_millisecond_runs_on_until_something_may_come(start):
    each_millisecond(start, "usleep")


@test
def nanosleep_and_absolute_times_are_the_same(start):
    each_millisecond(start, "nanosleep")
    each_millisecond(start, "absolute")


@test
def sleeping_by_select_and_poll_is_the_same(start):
    each_millisecond(start, "select")
    each_millisecond(start, "poll")


@test
def nobody_runs_on_for_more_than_ten_seconds(start):
    engine = start.ready("sleeps")
    same(engine.open(until=3600000000), {"wake": 10000000})
    same(engine.time(10000000, until=3600000000), {"wake": 20000000})
    engine.bye()


@test
def a_broken_promise_is_told(start):
    engine = start.ready("sleeps")
    same(engine.open(until=20000), {"wake": 20000})
    engine.send(op="step", host=0, now=5000, input="timeout")
    same(engine.status(), 70)
    holds("after a promise that nothing would be asked before 19000 us" in engine.printed(), "it says so")


@test
def a_restart_in_the_middle_begins_where_the_boot_ended(start):
    engine = start.ready("waits", "select")
    same(engine.open(), {"wake": 40000})
    same(engine.time(40000), {"wake": 110000})
    engine.close()
    same(engine.open(now=5000000), {"wake": 5040000})
    same(engine.datagram(5000001, "a"), {"tx": [sent("a at 100001 after 1")], "wake": 5070001})
    engine.close()
    engine.bye()


@test
def an_interval_timer_interrupts(start):
    engine = start.ready("timers", "classic")
    same(engine.open(), {"wake": 20000})
    same(engine.time(20000, until=75000), {"wake": 80000})
    same(engine.datagram(75000, "a"), {"tx": [sent("a at 175000: 5 alarms, 5 times interrupted, next in 5000")], "wake": 80000})
    engine.bye()


@test
def timers_of_posix_bring_their_value(start):
    engine = start.ready("timers", "posix")
    same(engine.open(), {"wake": 20000})
    same(engine.datagram(10000, "a"), {"tx": [sent("a at 110000: 102")], "wake": 20000})
    same(engine.time(20000), {"wake": 60000})
    same(engine.datagram(60000, "b"), {"tx": [sent("b at 160000: 104")], "wake": 100000})
    engine.bye()


@test
def a_timer_is_a_file(start):
    engine = start.ready("timers", "file")
    same(engine.open(until=20000), {"wake": 30000})
    same(engine.datagram(20000, "a"), {"tx": [sent("a at 120000: 211")], "wake": 30000})
    same(engine.time(30000), {"wake": 50000})
    engine.bye()


@test
def signals_end_sleeps_unless_they_are_blocked(start):
    engine = start.ready("timers", "sleeping")
    engine.open()
    same(engine.datagram(0, "a", until=9000000)["wake"], 5000000)
    same(engine.time(5000000)["tx"], [sent("a: -1, slept 1000000, left 1, paused until 2000000, blocked until 5000000, 2 alarms")])
    engine.bye()
