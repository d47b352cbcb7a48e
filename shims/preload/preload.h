/* What the files of the preloaded library share. README.md says what the library is; each part says why at its own place. */
#ifndef DELTAPROOF_PRELOAD_H
#define DELTAPROOF_PRELOAD_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* A function of ours that the engine gets in place of the C library's. The name is given to the linker alone: the headers declare the
 * real one with attributes, aliases and unions of their own, which differ from one library to the next. */
#define OURS(type, name, args) \
    type our_##name args __asm__(#name) __attribute__((visibility("default"))); \
    type our_##name args

/* The C library's own function, looked up at its first use: other libraries call us before our constructor runs. */
#define REAL(type, name, args) \
    static type(*real_##name(void)) args { \
        static type(*found) args; \
        if (!found) { \
            found = (__typeof__(found))dlsym(RTLD_NEXT, #name); \
        } \
        return found; \
    }

typedef int64_t micros; /* virtual microseconds; where it is a time to wait for, negative is for ever */
#define FOREVER ((micros)-1)
#define MILLISECOND ((micros)1000)
#define SECOND ((micros)1000000)

/* --- virtual_time.c: the only place where time moves ----------------------------------------------------------------- */
enum stage {
    PASSIVE, /* the constructor has not run, or this is a shell that starts the engine: nothing waits, nothing is trapped */
    BOOTING, /* the engine runs by itself, and time passes as it asks for it */
    RUNNING  /* a run is open, and the harness says when it is */
};
enum { WALL_EPOCH_S = 1700000000, MONOTONIC_S = 1000 };
extern enum stage stage;
extern micros now_us;        /* since the engine began */
extern micros boot_ends_us;  /* when the fork server begins */
extern long spin_limit;
extern unsigned long signals_handled; /* by the engine's handlers, while we waited: calls that waited then say EINTR */
micros when_is(clockid_t clock, const struct timespec *time); /* by `now_us` */
int drives_time(void);       /* whether this is the main thread, at whose waiting time passes */
void forget_spinning(void);  /* something was taken */
void count_spinning(void);   /* somebody looks at the clock, or for a datagram, and does not wait */
void wait_until(micros target);
micros deadline_of(micros timeout); /* of a wait that begins now */

/* Looks at once, and then whenever something may have changed. 0: time is over. -1: EINTR, or EAGAIN where it must not wait. */
typedef int looking(void *what);
enum waits { BY_SELECT, BY_POLL, BY_EPOLL, BY_SLEEP, BY_SPINNING, BY_RECEIVING, BY_SIGNAL, BY_CONSOLE, BY_CONDITION, N_WAITS };
int wait_for(looking *look, void *what, micros timeout, enum waits how);
int wait_with_mask(const sigset_t *mask, looking *look, void *what, micros timeout, enum waits how);

/* --- run.c: what the harness asks in a run, and what is answered ------------------------------------------------------ */
struct request;
void run_begins(const struct request *open);
void run_wait(micros target);
void run_transmit(int host, int64_t port, int64_t from_port, const void *bytes, size_t size);
extern int own_host;

/* --- line.c, json.c ---------------------------------------------------------------------------------------------------- */
struct json {
    const char *at, *end;
    int bad;
};
struct json_value {
    const char *at; /* of a string, what stands between the quotes */
    size_t size;
    char kind; /* { [ " n(umber) t(rue) f(alse) z(null), 0 for none */
};
int json_open(struct json *cursor, const char *text, size_t size, char bracket);
int json_member(struct json *cursor, char *key, size_t capacity, struct json_value *value); /* of an object */
int json_element(struct json *cursor, struct json_value *value);                            /* of an array */
int64_t json_integer(const struct json_value *value, int64_t otherwise);
size_t json_text(const struct json_value *value, char *out, size_t capacity);

struct request {
    uint64_t seq;
    char op[16], input[16], command[32], verb[64], seed[40];
    int64_t host, now, until, from, port, to_port, same_address;
    struct json_value bytes, args, whole;
};
void line_take_standard(void);
void line_connect(void);
int line_is_ours(int fd);
int line_fd(void);
const struct request *line_next(void);
const struct request *line_parse(const char *line, size_t size);
void line_reply(const char *format, ...) __attribute__((format(printf, 1, 2)));
enum { LINE_MOST = 4 << 20, HEAD_ROOM = 64 };
void line_write(const char *bytes, size_t size);
extern uint64_t line_seq;

/* --- turns.c, fork_server.c ------------------------------------------------------------------------------------------------ */
enum { MOST_HOSTS = 16 };
void turns_prepare(void);
int turn_bell(void);
int turn_slot_of(int64_t host); /* 0: it has none */
int turn_take_slot(int64_t host);
void turn_enter(int slot, int with_others);
void turn_pass(const struct request *request, int slot);
const struct request *turn_arrived(void);
const struct request *turn_next(void); /* that is for this host */
int turn_has_closed(int slot);
int turn_is_closed(int slot); /* and the slot is free again */
int turn_bye(void);
int is_for_a_host(const struct request *request);
void run_is_over(int bye);  /* ends this process after a run, which is no fault */
int has_role(int64_t host);
void fork_server(void);     /* returns with a run open: in a child, or where threads cannot be forked, in this process */
void supervise(void);       /* threads are allowed: this process starts the engine again for each run; returns in the engine */

/* --- descriptors.c: the numbers that the engine has in place of sockets -------------------------------------------------- */
enum kind { A_SOCKET = 1, A_TIMER, AN_EPOLL, RANDOM_BYTES };
struct object {
    enum kind kind;
    int references, nonblocking;
    void *part; /* struct udp, struct timer, struct epoll */
};
enum { MOST_DESCRIPTORS = 4096 };
struct object *object_at(int fd);
int object_new(enum kind kind, void *part, int nonblocking); /* a descriptor, or -1 and errno */
int protected_fd(int fd);                                    /* moves one of ours out of the engine's way */
int is_protected(int fd);
void unprotect(int fd);
void list_files(void);
void reopen_files(void);
int real_fcntl_of(int fd, int request, void *argument);
void release_socket(void *part);
void release_timer(void *part);
void release_epoll(void *part);
void epoll_forgets(int fd);

/* --- sockets.c, datagrams.c, addresses.c ---------------------------------------------------------------------------------- */
enum { QUEUE = 256 << 10, MOST_SOCKETS = 64, MOST_BYTES = 65507 };
struct udp {
    int used, family, type, protocol, bound, only_v6, reuse, wants_info, listening;
    uint16_t port;
    struct sockaddr_storage own, peer;
    socklen_t peer_length;
    micros receive_timeout;
    int receive_buffer, send_buffer, broadcast;
    size_t head, tail, held; /* of the queue, a ring */
    unsigned long arrivals;
    uint8_t *queue;
};
extern struct udp sockets[MOST_SOCKETS];
struct udp *udp_at(int fd); /* NULL: not a socket of ours */
void bind_somewhere(struct udp *udp);
struct udp *game_socket(int64_t to_port, const struct sockaddr *from); /* NULL: nobody hears there */
struct udp *socket_for(uint16_t port, const struct sockaddr *to, const struct sockaddr *from);
int64_t port_number(const struct udp *udp);
int game_is_bound(void);
int deliver(struct udp *udp, const struct sockaddr *from, const void *bytes, size_t size);
int datagram_waits(const struct udp *udp);
int first_datagram_size(const struct udp *udp);

enum { SERVER_PORT = 27500 };
extern int same_address;
uint32_t own_ip(void);
void address_of(int host, int64_t port, struct sockaddr_in *out);
int host_of(const struct sockaddr *to, int *host, int64_t *port);
int is_own_address(const struct sockaddr *address);
uint16_t port_of(const struct sockaddr *address);
socklen_t as_family(int family, const struct sockaddr_in *from, struct sockaddr_storage *out);
int as_v4(const struct sockaddr *from, struct sockaddr_in *out);

/* --- waiting.c, epoll.c ----------------------------------------------------------------------------------------------------- */
enum { IN = 1, OUT = 2, BROKEN = 4 };
int state_of(int fd, int wanted); /* IN and OUT of `wanted` that are true now */
int epoll_ready(void *part);
micros timeout_of(const struct timespec *time); /* NULL is for ever */

/* --- timers.c, signals.c ------------------------------------------------------------------------------------------------------ */
micros next_timer(void);
void fire_timers(void);
int timer_expired(void *part);
ssize_t timer_read(struct object *object, void *bytes, size_t size);
extern int signal_restarts; /* the last handler that ran asked for it: only receiving and reading do */
void signals_for_server(void);
void signals_for_engine(void);
void send_signal(int signal_number, union sigval value, int code); /* to this thread */
void own_handler(int signal_number, void (*handler)(int, siginfo_t *, void *));
void pass_to_engine(int signal_number, siginfo_t *info, void *context);

/* --- console.c ------------------------------------------------------------------------------------------------------------------- */
void console_new(void);
int console_waits(void);
int console_is(int fd);
int console_nonblocking(int change); /* -1 only asks */
void console_gone(void);
void console_line(const char *text, size_t size);
int console_instruct(const struct request *request); /* 0: there is nothing to type for it */
void console_boot(void);
ssize_t console_read(void *bytes, size_t size);

/* --- game.c ---------------------------------------------------------------------------------------------------------------------- */
void game_new(void);
int game_takes(const struct request *request); /* 0: it is not for game code of ours */
const char *game_log(size_t at);
size_t game_log_end(void);
size_t game_log_fetched(size_t to);

/* --- numbers.c ------------------------------------------------------------------------------------------------------------------- */
void numbers_new(void);
int numbers_hold(void); /* the engine is given no datagram yet */
void numbers_heard(const struct sockaddr_in *from);
int numbers_draw(void); /* -1: a draw is none of game code that reads */

/* --- random.c, identity.c, threads.c, trap.c, vdso.c, report.c ---------------------------------------------------------------------- */
void random_begins(const char *seed, int host);
void random_fill(void *bytes, size_t size);
enum { OWN_PID = 4242, OWN_UID = 1000 };
extern const char own_name[];
void sterilize_environment(void);
extern int threads_allowed, threads_alive;
void own_lock(void);
void own_unlock(void);
void real_pause(micros how_long);
void trap_system_calls(void);
void patch_vdso(void);
uint64_t time_stamp_counter(void);
long kernel(long number, ...); /* a system call of ours, which no trap sees; the error is negative */
#define KERNEL(...) KERNEL_(__VA_ARGS__, 0, 0, 0, 0, 0, 0, 0)
#define KERNEL_(number, a, b, c, d, e, f, ...) kernel(number, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))
long result_of(long answer); /* sets errno */

void report(const char *format, ...) __attribute__((format(printf, 1, 2)));
void report_wait(enum waits how);
void say(int level, const char *format, ...) __attribute__((format(printf, 2, 3)));
void die(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
extern int log_level;
long setting(const char *name, long otherwise); /* of DELTAPROOF_ENGINE_ */
const char *setting_text(const char *name);

#endif
