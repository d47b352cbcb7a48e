/* What goes past the C library. System calls that read a clock, sleep, open a socket or wait are trapped by a filter of seccomp and
 * answered here; reading the time-stamp counter is trapped by the processor. The random numbers of a processor cannot be trapped. */
#include "preload.h"

#if defined(__x86_64__) || defined(__i386__)
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sysinfo.h>
#include <sys/times.h>
#include <sys/utsname.h>
#include <ucontext.h>

extern const char kernel_returns[];
extern int our_select(int, fd_set *, fd_set *, fd_set *, struct timeval *) __asm__("select");

#if defined(__x86_64__)
enum { NUMBER = REG_RAX, ANSWER = REG_RAX, PROGRAM = REG_RIP, LOW = REG_RAX, HIGH = REG_RDX, AUXILIARY = REG_RCX };
static const int arguments[6] = {REG_RDI, REG_RSI, REG_RDX, REG_R10, REG_R8, REG_R9};
enum { ARCHITECTURE = AUDIT_ARCH_X86_64 };
#else
enum { NUMBER = REG_EAX, ANSWER = REG_EAX, PROGRAM = REG_EIP, LOW = REG_EAX, HIGH = REG_EDX, AUXILIARY = REG_ECX };
static const int arguments[6] = {REG_EBX, REG_ECX, REG_EDX, REG_ESI, REG_EDI, REG_EBP};
enum { ARCHITECTURE = AUDIT_ARCH_I386 };
#endif

/* What a trapped call becomes: the same of the C library's, which is ours. REFUSED are those that would open a way past us. */
enum what { REFUSED, CALLED };
struct trapped {
    int number;
    enum what what;
    const char *name;
};
static const struct trapped calls[] = {
#define CALL(name) {SYS_##name, CALLED, #name},
#define NO(name) {SYS_##name, REFUSED, #name},
    NO(socket) NO(timer_create) NO(timerfd_create)
#ifdef SYS_io_uring_setup
    NO(io_uring_setup)
#endif
#ifdef SYS_socketcall
    CALL(socketcall)
#endif
#ifdef SYS_clock_gettime64
    CALL(clock_gettime64) CALL(clock_nanosleep_time64)
#endif
    CALL(clock_gettime) CALL(gettimeofday) CALL(time) CALL(nanosleep) CALL(clock_nanosleep) CALL(getrandom) CALL(sched_yield) CALL(pause)
    CALL(alarm) CALL(setitimer) CALL(times) CALL(getrusage) CALL(sysinfo) CALL(uname) CALL(poll) CALL(ppoll) CALL(epoll_wait)
    CALL(epoll_pwait) CALL(epoll_ctl) CALL(epoll_create1) CALL(bind) CALL(connect) CALL(listen) CALL(getsockname) CALL(getpeername)
    CALL(setsockopt) CALL(getsockopt) CALL(sendto) CALL(recvfrom) CALL(sendmsg) CALL(recvmsg) CALL(accept4)
#if defined(__x86_64__)
    CALL(select) CALL(accept)
#else
    {SYS__newselect, CALLED, "select"},
#endif
};
enum { N_CALLS = sizeof calls / sizeof *calls };

static long answer_of(long answer) {
    return answer < 0 ? -errno : answer;
}

#define A(i) ((void *)a[i])

static long call_time(int number, const long a[6]) {
    switch (number) {
    case SYS_clock_gettime: return clock_gettime((clockid_t)a[0], A(1));
    case SYS_gettimeofday: return gettimeofday(A(0), A(1));
    case SYS_time: return time(A(0));
    case SYS_nanosleep: return nanosleep(A(0), A(1));
    case SYS_clock_nanosleep: return -clock_nanosleep((clockid_t)a[0], (int)a[1], A(2), A(3));
    case SYS_sched_yield: count_spinning(); return 0;
    case SYS_pause: return pause();
    case SYS_alarm: return alarm((unsigned)a[0]);
    case SYS_setitimer: return setitimer((__itimer_which_t)a[0], A(1), A(2));
    case SYS_times: return times(A(0));
    case SYS_getrusage: return getrusage((__rusage_who_t)a[0], A(1));
    case SYS_sysinfo: return sysinfo(A(0));
    case SYS_uname: return uname(A(0));
    case SYS_getrandom: random_fill(A(0), (size_t)a[1]); return a[1];
#ifdef SYS_clock_gettime64
    case SYS_clock_gettime64:
    case SYS_clock_nanosleep_time64: {
        int64_t *wide = A(number == SYS_clock_gettime64 ? 1 : 2);
        struct timespec narrow;
        if (number == SYS_clock_gettime64) {
            clock_gettime((clockid_t)a[0], &narrow);
            wide[0] = narrow.tv_sec, wide[1] = narrow.tv_nsec;
            return 0;
        }
        narrow.tv_sec = (time_t)wide[0], narrow.tv_nsec = (long)wide[1];
        return -clock_nanosleep((clockid_t)a[0], (int)a[1], &narrow, NULL);
    }
#endif
    default: return 1;
    }
}

static long call_wait(int number, const long a[6]) {
    switch (number) {
    case SYS_poll: return poll(A(0), (nfds_t)a[1], (int)a[2]);
    case SYS_ppoll: return ppoll(A(0), (nfds_t)a[1], A(2), A(3));
    case SYS_epoll_wait: return epoll_wait((int)a[0], A(1), (int)a[2], (int)a[3]);
    case SYS_epoll_pwait: return epoll_pwait((int)a[0], A(1), (int)a[2], (int)a[3], A(4));
    case SYS_epoll_ctl: return epoll_ctl((int)a[0], (int)a[1], (int)a[2], A(3));
    case SYS_epoll_create1: return epoll_create1((int)a[0]);
    default: return our_select((int)a[0], A(1), A(2), A(3), A(4));
    }
}

static int is_wait(int number) {
    static const int waits[] = {SYS_poll, SYS_ppoll, SYS_epoll_wait, SYS_epoll_pwait, SYS_epoll_ctl, SYS_epoll_create1,
#if defined(__x86_64__)
                                SYS_select
#else
                                SYS__newselect
#endif
    };
    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++) {
        if (waits[i] == number) {
            return 1;
        }
    }
    return 0;
}

static int is_socket_call(int number) {
    return (number >= SYS_bind && number <= SYS_listen) || number == SYS_connect || number == SYS_getsockname || number == SYS_getpeername ||
           number == SYS_setsockopt || number == SYS_getsockopt || number == SYS_sendto || number == SYS_recvfrom || number == SYS_sendmsg ||
           number == SYS_recvmsg || number == SYS_accept4;
}

static long call_socket(int number, const long a[6]) {
    int fd = (int)a[0];
    switch (number) {
    case SYS_bind: return bind(fd, A(1), (socklen_t)a[2]);
    case SYS_connect: return connect(fd, A(1), (socklen_t)a[2]);
    case SYS_listen: return listen(fd, (int)a[1]);
    case SYS_getsockname: return getsockname(fd, A(1), A(2));
    case SYS_getpeername: return getpeername(fd, A(1), A(2));
    case SYS_setsockopt: return setsockopt(fd, (int)a[1], (int)a[2], A(3), (socklen_t)a[4]);
    case SYS_getsockopt: return getsockopt(fd, (int)a[1], (int)a[2], A(3), A(4));
    case SYS_sendto: return sendto(fd, A(1), (size_t)a[2], (int)a[3], A(4), (socklen_t)a[5]);
    case SYS_recvfrom: return recvfrom(fd, A(1), (size_t)a[2], (int)a[3], A(4), A(5));
    case SYS_sendmsg: return sendmsg(fd, A(1), (int)a[2]);
    case SYS_recvmsg: return recvmsg(fd, A(1), (int)a[2]);
    default: return accept4(fd, A(1), A(2), (int)a[3]);
    }
}

#ifdef SYS_socketcall
/* The older way: one call for all, with the arguments in memory. What is not listed would be a socket. */
static long call_socketcall(const long a[6]) {
    static const int numbers[] = {0, 0, SYS_bind, SYS_connect, SYS_listen, 0, SYS_getsockname, SYS_getpeername, 0, 0, 0,
                                  SYS_sendto, SYS_recvfrom, 0, SYS_setsockopt, SYS_getsockopt, SYS_sendmsg, SYS_recvmsg, SYS_accept4};
    const long *rest = A(1);
    long six[6] = {0};
    if (a[0] == 8) { /* socketpair, which reaches nobody */
        return result_of(KERNEL(SYS_socketcall, a[0], a[1]));
    }
    int number = a[0] > 0 && a[0] < (long)(sizeof numbers / sizeof *numbers) ? numbers[a[0]] : 0;
    if (!number) {
        errno = EAFNOSUPPORT;
        return -1;
    }
    static const unsigned char counts[] = {0, 3, 3, 3, 2, 3, 3, 3, 4, 4, 4, 6, 6, 2, 5, 5, 3, 3, 4};
    memcpy(six, rest, counts[a[0]] * sizeof(long));
    return call_socket(number, six);
}
#endif

static void say_once(int number, const char *name, int refused) {
    static unsigned char said[512];
    if (number < 4096 && !(said[number >> 3] & 1 << (number & 7))) {
        said[number >> 3] |= (unsigned char)(1 << (number & 7));
        report("syscall %s%s", name, refused ? " refused" : "");
        say(1, "the system call %s came past the C library%s", name, refused ? ", and is refused" : "");
    }
}

static void on_system_call(int signal_number, siginfo_t *info, void *context) {
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    int number = info->si_syscall, before = errno;
    const struct trapped *call = calls;
    long a[6], answer;
    if (info->si_code != 1 /* SYS_SECCOMP */) {
        pass_to_engine(signal_number, info, context);
        return;
    }
    while (call < calls + N_CALLS && call->number != number) {
        call++;
    }
    for (int i = 0; i < 6; i++) {
        a[i] = (long)registers[arguments[i]];
    }
    int refused = call == calls + N_CALLS || call->what == REFUSED;
    say_once(number, call == calls + N_CALLS ? "?" : call->name, refused);
    if (refused) {
        answer = number == SYS_socket ? -EAFNOSUPPORT : -ENOSYS;
#ifdef SYS_socketcall
    } else if (number == SYS_socketcall) {
        answer = answer_of(call_socketcall(a));
#endif
    } else if (is_socket_call(number)) {
        answer = answer_of(call_socket(number, a));
    } else if (is_wait(number)) {
        answer = answer_of(call_wait(number, a));
    } else {
        answer = call_time(number, a);
        answer = number == SYS_clock_nanosleep ? answer : answer == -1 ? -errno : answer;
    }
    registers[ANSWER] = (greg_t)answer;
    errno = before;
}

/* rdtsc is 0f 31, rdtscp 0f 01 f9. */
static void on_violation(int signal_number, siginfo_t *info, void *context) {
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    const unsigned char *at = (const unsigned char *)registers[PROGRAM];
    int is_general = info->si_code == SI_KERNEL || info->si_code == SEGV_ACCERR; /* the processor names no address for it */
    int is_plain = is_general && at && at[0] == 0x0f && at[1] == 0x31;
    int is_with_processor = is_general && at && at[0] == 0x0f && at[1] == 0x01 && at[2] == 0xf9;
    if (!is_plain && !is_with_processor) {
        pass_to_engine(signal_number, info, context);
        return;
    }
    int before = errno;
    uint64_t now = time_stamp_counter();
    registers[LOW] = (greg_t)(now & 0xffffffffu), registers[HIGH] = (greg_t)(now >> 32);
    if (is_with_processor) {
        registers[AUXILIARY] = 0;
    }
    registers[PROGRAM] += is_plain ? 2 : 3;
    errno = before;
}

#define STATEMENT(code, value) ((struct sock_filter)BPF_STMT(code, value))
#define JUMP(code, value, yes, no) ((struct sock_filter)BPF_JUMP(code, value, yes, no))
enum { LOAD = BPF_LD | BPF_W | BPF_ABS, EQUAL = BPF_JMP | BPF_JEQ | BPF_K, RETURN = BPF_RET | BPF_K };

void trap_system_calls(void) {
    struct sock_filter code[N_CALLS + 16];
    uint64_t mine = (uint64_t)(uintptr_t)kernel_returns;
    unsigned short n = 0;
    code[n++] = STATEMENT(LOAD, offsetof(struct seccomp_data, arch));
    code[n++] = JUMP(EQUAL, ARCHITECTURE, 1, 0);
    code[n++] = STATEMENT(RETURN, SECCOMP_RET_ERRNO | ENOSYS); /* a 32-bit call of a 64-bit program */
    code[n++] = STATEMENT(LOAD, offsetof(struct seccomp_data, instruction_pointer));
    code[n++] = JUMP(EQUAL, (uint32_t)mine, 0, 3);
    code[n++] = STATEMENT(LOAD, offsetof(struct seccomp_data, instruction_pointer) + 4);
    code[n++] = JUMP(EQUAL, (uint32_t)(mine >> 32), 0, 1);
    code[n++] = STATEMENT(RETURN, SECCOMP_RET_ALLOW);
    code[n++] = STATEMENT(LOAD, offsetof(struct seccomp_data, nr));
    for (int i = 0; i < N_CALLS; i++) {
        code[n++] = JUMP(EQUAL, (uint32_t)calls[i].number, (unsigned char)(N_CALLS - i), 0);
    }
    code[n++] = STATEMENT(RETURN, SECCOMP_RET_ALLOW);
    code[n++] = STATEMENT(RETURN, SECCOMP_RET_TRAP);
    struct sock_fprog program = {n, code};
    own_handler(SIGSYS, on_system_call);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) {
        say(1, "no filter of system calls: %s", strerror(errno));
    }
    if (!prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0)) {
        own_handler(SIGSEGV, on_violation);
    }
}
#else
void trap_system_calls(void) {
}
#endif
