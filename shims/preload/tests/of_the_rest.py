"""Addresses and ports, randomness, the console, how an engine ends, and what it learns of the machine."""
import json
import time

from cases import test
from harness import holds, same, sent


@test
def both_families_and_several_ports_at_once(start):
    engine = start.ready("two_sockets", "both", ports="27910,27911")
    same(engine.open(), {})
    same(engine.datagram(0, "a"), {"tx": [sent("a from 10.66.1.1:30000 at socket 1")]})
    same(engine.datagram(0, "b", to_port=27911), {"tx": [sent("b from 10.66.1.1:30000 at socket 2", from_port=27911)]})
    same(engine.datagram(0, "c", 2), {"tx": [sent("c from 10.66.2.1:30001 at socket 1", 2)]})
    same(engine.datagram(0, "d", port=70000), {"tx": [sent("d from 10.66.1.1:30002 at socket 1", port=70000)]})
    same(engine.datagram(0, "e", port=1), {"tx": [sent("e from 10.66.1.1:30003 at socket 1", port=1)]})
    same(engine.datagram(0, "f", to_port=99), {})
    same(engine.datagram(1, "other"), {"tx": [sent("other from 10.66.1.1:30000 at socket 1"), sent("here is 49152", from_port=49152)]})
    same(engine.datagram(1, "g", to_port=49152), {"tx": [sent("g from 10.66.1.1:30000 at socket 3", from_port=49152)]})
    engine.bye()


@test
def a_socket_of_ipv6_hears_both_families(start):
    engine = start.ready("two_sockets", "dual")
    engine.open()
    same(engine.datagram(0, "a"), {"tx": [sent("a from [::ffff:10.66.1.1]:30000 at socket 0")]})
    engine.bye()


@test
def clients_share_an_address_where_the_scenario_says_so(start):
    engine = start.ready("two_sockets", "both")
    engine.open(options={"nested": {"same_address": 0}, "same_address": 1, "tick_us": 50000})
    same(engine.datagram(0, "a"), {"tx": [sent("a from 10.66.1.1:30000 at socket 1")]})
    same(engine.datagram(0, "b", 2), {"tx": [sent("b from 10.66.1.1:30001 at socket 1", 2)]})
    same(engine.datagram(0, "c", 2, port=3), {"tx": [sent("c from 10.66.1.1:30002 at socket 1", 2, port=3)]})
    engine.bye()


@test
def a_connected_socket_hears_its_peer_alone(start):
    engine = start.ready("two_sockets", "connected")
    engine.open()
    same(engine.datagram(0, "connect"), {"tx": [sent("connect from 10.66.1.1:30000 at socket 0"), sent("10.66.0.1:27910"), sent("10.66.1.1:30000")]})
    same(engine.datagram(0, "a", 2), {})
    same(engine.datagram(0, "a", port=9), {})
    same(engine.datagram(0, "b"), {"tx": [sent("b from 10.66.1.1:30000 at socket 0")]})
    engine.bye()


@test
def what_goes_past_the_c_library_is_caught(start):
    engine = start.ready("direct")
    engine.open()
    same(engine.datagram(0, "a"), {"wake": 10000})
    reply = engine.time(10000)
    text = reply["tx"][0]["bytes"]
    same(text.rsplit(" ", 1)[0], "a at 110000, 110000, 110000; counter 10000, -1; socket -1 unsupported; random")
    found = engine.report()
    for line in ["syscall clock_gettime", "syscall poll", "syscall nanosleep", "syscall socket refused", "syscall getrandom", "syscall io_uring_setup refused"]:
        holds(line in found, f"{line} is in the report: {found}")
    engine.close()
    engine.open()
    same(engine.datagram(0, "a"), {"wake": 10000})
    same(engine.time(10000), reply)
    engine.bye()


@test
def the_seed_of_the_run_reaches_all_randomness(start):
    engine = start.ready("random")

    def drawn(seed, text="a"):
        engine.open(seed=seed)
        reply = engine.datagram(0, text)["tx"][0]["bytes"].split()
        again = engine.datagram(0, text)["tx"][0]["bytes"].split()
        engine.close()
        return reply, again

    first, second = drawn("0000000000000001"), drawn("0000000000000001")
    same(first, second)
    other = drawn("0000000000000002")
    for i, (one, two) in enumerate(zip(first[0][:-1], other[0][:-1])):
        holds(one != two, f"source {i} does not know the seed")
    for i, (one, two) in enumerate(zip(first[0][:-2], first[1][:-2])):
        holds(one != two, f"source {i} repeats itself")
    same(first[0][-1], other[0][-1])  # what was drawn at boot
    sown, resown = drawn("0000000000000001", "sow"), drawn("0000000000000002", "sow")
    holds(sown[0][0] != resown[0][0] and sown[0][0] != first[0][0], "what the engine sows is mixed with the seed")
    same(sown[0][0], sown[1][0])
    engine.bye()
    engine = start.ready("random")
    same(drawn("0000000000000001"), first)  # in another process
    engine.bye()


@test
def nothing_depends_on_where_the_kernel_puts_it(start):
    replies = []
    for keep in ["keep", "", "keep"]:
        engine = start.ready("random", ASLR=keep)
        engine.open()
        replies.append(engine.datagram(0, "a"))
        engine.bye()
    same(replies[0], replies[1])
    same(replies[0], replies[2])


def ends(start, text, status, words, how="", **settings):
    engine = start.ready("ends", how, **settings)
    same(engine.open(), {})
    same(engine.datagram(0, "first"), {"tx": [sent("first done")]})
    engine.send(op="step", host=0, now=5, input="datagram", **{"from": 1}, bytes=text.encode().hex())
    same(engine.reader.readline(), b"")
    same(engine.status(), status)
    holds(words in engine.printed(), f"it says {words}: {engine.printed()}")
    same(engine.processes(), [])
    return engine


@test
def an_exit_is_passed_on(start):
    holds("exit 3" in ends(start, "exit", 3, "the engine ended with status 3 in the middle of a run").report(), "the report has it")
    ends(start, "return", 0, "the engine ended with status 0 in the middle of a run")


@test
def a_crash_is_passed_on(start):
    holds("signal SIGSEGV" in ends(start, "crash", -11, "the engine ended by signal 11, SIGSEGV").report(), "the report has it")
    ends(start, "abort", -6, "the engine ended by signal 6, SIGABRT")
    ends(start, "kill", -15, "the engine ended by signal 15, SIGTERM")


@test
def a_crash_of_an_engine_that_ignores_its_children_is_passed_on(start):
    ends(start, "crash", -11, "the engine ended by signal 11, SIGSEGV", "ignores-children")
    ends(start, "exit", 3, "the engine ended with status 3", "ignores-children")


@test
def an_engine_may_handle_its_own_crash(start):
    ends(start, "crash", 9, "the engine's own handler has signal 11", "own-handler")


@test
def an_exit_before_it_is_ready_is_its_own(start):
    engine = start("ends", "boot-exit", patience_s=1)
    same(engine.status(), 5)
    holds("ends with status 5 before it was ready" in engine.printed() and "exit 5" in engine.report(), f"it says so: {engine.printed()}")


@test
def no_process_outlives_the_harness(start):
    engine = start.ready("ends")
    engine.open()
    engine.send(op="step", host=0, now=5, input="datagram", **{"from": 1}, bytes=b"hang".hex())
    time.sleep(0.3)
    same(len(engine.processes()), 2)
    engine.reader.close()
    engine.line.close()
    same(engine.status(), 0)
    same(engine.processes(), [])
    engine = start.ready("client", roles=["client"])
    engine.open(host=1)
    engine.open(host=2)
    same(len(engine.processes()), 3)
    engine.reader.close()
    engine.line.close()
    same(engine.status(), 0)
    same(engine.processes(), [])
    engine = start.ready("ends")
    engine.open()
    engine.process.kill()
    engine.status()
    time.sleep(0.3)
    same(engine.processes(), [])


@test
def megabytes_of_output_neither_block_nor_pass(start):
    engine = start.ready("ends")
    for _ in range(2):
        engine.open()
        same(engine.datagram(0, "megabytes"), {"tx": [sent("megabytes done")]})
        engine.close()
    engine.bye()
    text = engine.printed()
    holds(2 << 20 <= len(text) < (2 << 20) + 1000, f"{len(text)} bytes were printed")
    same(text.count("the engine prints more than 1048576 bytes in one run: the rest is dropped"), 2)


@test
def a_prompt_is_answered_or_told(start):
    engine = start.ready("ends", "boot-prompt", BOOT_TYPE="q2dm1\\nignored")
    same(engine.open(), {})
    same(engine.datagram(0, "first"), {"tx": [sent("first done")]})
    engine.bye()
    holds("map q2dm1" in engine.printed(), engine.printed())
    engine = start.ready("ends", "boot-prompt")
    same(engine.open(), {})
    same(engine.datagram(0, "first"), {})
    engine.bye()
    holds("it may wait for input at its console" in engine.printed() and "waits console" in engine.report(), engine.printed())


@test
def an_engine_starts_no_other_process(start):
    engine = start.ready("ends")
    engine.open()
    same(engine.datagram(0, "fork"), {"tx": [sent("alone as 4242"), sent("fork done")]})
    holds({"process fork refused", "process system refused", "process popen refused"} <= set(engine.report()), "the report has it")
    engine.bye()


def typed(start, how):
    engine = start.ready("console", how, BOOT_TYPE="status", TYPE_map="gamemap q2dm1", TYPE_say_it="say {text} {n} times {other}", TYPE_leave="")
    same(engine.open(), {"wake": 0})  # the boot took a second more, for what was typed
    same(engine.datagram(1000, "a"), {"tx": [sent("a after status|")], "wake": 501000})
    same(engine.command(2000, "map"), {"tx": [sent("typed gamemap q2dm1| at 1102000")], "wake": 502000})
    same(engine.command(3000, "verb", verb="say-it", args={"text": 'a "b"\n\\ {n}', "n": -5}),
         {"tx": [sent('typed say a "b" \\ {n} -5 times {other}| at 1103000')], "wake": 503000})
    same(engine.command(4000, "verb", verb="leave", args={}), {"error": {"unsupported": "leave: nothing is known to type for it"}})
    same(engine.command(4000, "spawn", entity=5), {"error": {"unsupported": "spawn: nothing is known to type for it"}})
    same(engine.command(5000, "connect"), {"wake": 503000})
    same(engine.time(503000), {"wake": 1003000})
    engine.close()
    same(engine.open(), {"wake": 0})  # nothing that was typed in the run before is left
    same(engine.datagram(1000, "b"), {"tx": [sent("b after status|")], "wake": 501000})
    engine.bye()


@test
def commands_are_typed_at_the_console(start):
    typed(start, "read")


@test
def a_console_may_be_read_as_a_stream(start):
    typed(start, "stream")


@test
def what_was_typed_may_wait_for_the_next_frame(start):
    engine = start.ready("console", "lazy", TYPE_map="gamemap q2dm1", SPIN="1000000")
    same(engine.open(), {"wake": 0})
    same(engine.time(0), {"wake": 50000})
    same(engine.datagram(1000, "a"), {"wake": 50000})
    same(engine.command(2000, "map"), {"wake": 50000})
    same(engine.time(50000), {"tx": [sent("a after gamemap q2dm1|")], "wake": 100000})
    same(engine.command(60000, "map"), {"wake": 100000})
    same(engine.time(100000), {"tx": [sent("typed gamemap q2dm1| at 200000")], "wake": 150000})
    engine.bye()


@test
def a_client_is_told_where_to_connect(start):
    engine = start.ready("client", roles=["client"], TYPE_connect="connect {server}")
    same(engine.open(), {"error": {"unsupported": "being a server"}})
    same(engine.open(host=1), {})
    same(engine.command(0, "connect", host=1), {"tx": [sent("hello from 10.66.0.1", 0)]})
    same(engine.datagram(10, "accept", 0, host=1), {"tx": [sent("accept back 1", 0)]})
    same(engine.datagram(20, "here", 0, host=1, port=50123), {"tx": [sent("here back 2", 0, port=50123)]})
    same(engine.ask(op="close", host=1), {})
    engine.bye()


@test
def several_hosts_of_one_run_take_turns(start):
    engine = start.ready("client", roles=["client"], TYPE_connect="connect {server}")
    for _ in range(2):
        for host in 1, 2, 3:
            same(engine.open(host=host), {})
        same(engine.open(host=2)["error"], {"unsupported": "a host twice, or more than 15"})
        for host in 3, 1, 1, 2, 3:
            same(engine.command(0, "connect", host=host), {"tx": [sent("hello from 10.66.0.1", 0)]})
        same(len(engine.processes()), 4)
        for host, n in (1, 1), (2, 1), (1, 2), (3, 1), (3, 2), (1, 3), (2, 2):
            same(engine.datagram(n, "a", 0, host=host), {"tx": [sent(f"a back {n}", 0)]})
            same(engine.ask(op="observe", host=3), {})
        same(engine.ask(op="close", host=2), {})  # it is started again in the middle of the run
        same(engine.open(host=2, now=10), {})
        same(engine.datagram(11, "a", 0, host=2), {"tx": [sent("a back 1", 0)]})
        same(engine.datagram(11, "a", 0, host=1), {"tx": [sent("a back 4", 0)]})
        for host in 3, 1, 2:
            same(engine.ask(op="close", host=host), {})
        same(len(engine.processes()), 1)
    engine.open(host=1)
    engine.open(host=2)
    engine.bye()


@test
def threads_are_refused(start):
    engine = start.ready("threads")
    engine.open()
    same(engine.datagram(0, "a"), {"tx": [sent("a alone: EAGAIN")]})
    holds("thread refused" in engine.report(), "the report has it")
    same(engine.datagram(1, "in vain"), {"wake": 2000001})
    same(engine.time(2000001), {"tx": [sent("waited 2000000")]})
    same(engine.datagram(2000001, "deadlock"), {})
    same(engine.time(3000000), {})
    engine.close()
    engine.bye()
    holds("the main thread waits in a condition for a thread that was never started" in engine.printed(), "it says so")


@test
def threads_may_be_allowed(start):
    engine = start.ready("threads", THREADS="allow")
    for _ in range(2):
        engine.open()
        same(engine.datagram(0, "a"), {"tx": [sent("a 1 together")]})
        same(engine.datagram(1, "b"), {"tx": [sent("b 2 together")]})
        engine.close()
    holds("thread started" in engine.report(), "the report has it")
    engine.bye()
    engine = start.ready("threads", "none", THREADS="allow")
    engine.open()
    same(engine.datagram(0, "a"), {"tx": [sent("a alone: EAGAIN")]})
    engine.close()
    engine.open()
    engine.bye()


@test
def nothing_tells_the_machine(start):
    path = start.build.path / "lines"
    path.write_text("one\ntwo\ntri\n")
    engine = start.ready("identity", str(path))
    for _ in range(2):  # each run reads on where the boot ended
        engine.open()
        same(engine.datagram(0, "who"), {"tx": [sent("4242 1000 player engine engine 10.66.0.1 lo=127.0.0.1 eth0=10.66.0.1 UTC0 1 0 22 0 6")]})
        same(engine.datagram(0, "read"), {"tx": [sent("one\n")]})
        same(engine.datagram(0, "read"), {"tx": [sent("two\n")]})
        engine.close()
    found = engine.report()
    for line in ["bound udp 27910", "bound tcp 27950 refused", "socket 1 1 refused", "socket 16 3 refused", "booted 100"]:
        holds(line in found, f"{line} is in the report: {found}")
    engine.bye()


@test
def the_line_may_be_standard_input_and_output(start):
    lines = [{"op": "hello", "version": 1}, {"op": "open", "host": 0, "seed": "01"},
             {"op": "step", "host": 0, "now": 5, "input": "datagram", "from": 1, "bytes": b"megabytes".hex()}, {"op": "bye"}]
    process = start.by_standard_streams("ends")
    replies = []
    for seq, line in enumerate(lines):
        process.stdin.write(json.dumps({"seq": seq, **line}) + "\n")
        process.stdin.flush()
        replies.append(json.loads(process.stdout.readline()))
    same(replies[2], {"seq": 2, "tx": [{"to": 1, "bytes": b"megabytes done".hex()}]})
    same((replies[0]["name"], replies[1], replies[3], process.stdout.read(), process.wait()), ("test", {"seq": 1}, {"seq": 3}, "", 0))


@test
def a_script_may_start_the_engine(start):
    script = start.build.path / "script"
    script.write_text(f'#!/bin/sh\nwhat=$(basename /somewhere/ends)\nexec "{start.build.path}/$what"\n')
    script.chmod(0o755)
    engine = start.ready("script")
    same(engine.open(), {})
    same(engine.datagram(0, "first"), {"tx": [sent("first done")]})
    engine.bye()


@test
def what_is_unknown_is_answered(start):
    engine = start.ready("ends")
    same(engine.ask(op="juggle"), {"error": {"unsupported": "juggle without a run"}})
    same(engine.ask(op="observe", host=0), {})
    same(engine.ask(op="close", host=0), {})
    same(engine.open(host=3), {"error": {"unsupported": "being a client"}})
    engine.open()
    same(engine.ask(op="juggle"), {"error": {"unsupported": "juggle in the middle of a run"}})
    engine.close()
    engine.bye()
