/* The numbers that the engine has in place of sockets, timers and the like. Each is an eventfd of the kernel that nothing ever
 * happens to, so that no other file gets its number. */
#include "preload.h"

#include <stdarg.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/uio.h>

enum { MOST_OBJECTS = 256, MOST_PROTECTED = 64, MOST_FILES = 1024, FIRST_PROTECTED = 900 };
static struct object pool[MOST_OBJECTS];
static struct object *objects[MOST_DESCRIPTORS];
static int protected_fds[MOST_PROTECTED], n_protected;

struct object *object_at(int fd) {
    return fd >= 0 && fd < MOST_DESCRIPTORS ? objects[fd] : NULL;
}

int object_new(enum kind kind, void *part, int nonblocking) {
    int i = 0;
    while (i < MOST_OBJECTS && pool[i].references) {
        i++;
    }
    int fd = i < MOST_OBJECTS ? (int)result_of(KERNEL(SYS_eventfd2, 0, 0)) : -1;
    if (fd >= MOST_DESCRIPTORS) {
        KERNEL(SYS_close, fd);
        fd = -1;
    }
    if (fd < 0) {
        errno = EMFILE;
        return -1;
    }
    objects[fd] = &pool[i];
    pool[i].kind = kind, pool[i].references = 1, pool[i].nonblocking = nonblocking != 0, pool[i].part = part;
    return fd;
}

static void forget(int fd) {
    struct object *object = object_at(fd);
    if (!object) {
        return;
    }
    epoll_forgets(fd);
    objects[fd] = NULL;
    if (--object->references) {
        return;
    }
    switch (object->kind) {
    case A_SOCKET: release_socket(object->part); break;
    case A_TIMER: release_timer(object->part); break;
    case AN_EPOLL: release_epoll(object->part); break;
    case RANDOM_BYTES: break;
    }
}

static void share(int from, int to) {
    struct object *object = object_at(from);
    if (object && to >= 0 && to < MOST_DESCRIPTORS) {
        objects[to] = object;
        object->references++;
    }
}

/* --- ours, which the engine must not close ---------------------------------------------------------------------------- */
int is_protected(int fd) {
    for (int i = 0; i < n_protected; i++) {
        if (protected_fds[i] == fd) {
            return 1;
        }
    }
    return 0;
}

int protected_fd(int fd) {
    long moved = fd < 0 ? fd : KERNEL(SYS_fcntl, fd, F_DUPFD_CLOEXEC, FIRST_PROTECTED);
    if (moved < 0) {
        moved = fd < 0 ? fd : KERNEL(SYS_fcntl, fd, F_DUPFD_CLOEXEC, 100); /* few descriptors are allowed */
    }
    if (moved < 0) {
        return fd;
    }
    KERNEL(SYS_close, fd);
    if (n_protected < MOST_PROTECTED) {
        protected_fds[n_protected++] = (int)moved;
    }
    return (int)moved;
}

void unprotect(int fd) {
    for (int i = 0; i < n_protected; i++) {
        if (protected_fds[i] == fd) {
            protected_fds[i] = protected_fds[--n_protected];
            KERNEL(SYS_close, fd);
            return;
        }
    }
}

static int files[MOST_FILES], n_files;

/* Once, since the fork server opens none. */
void list_files(void) {
    for (int fd = 3; fd < MOST_FILES; fd++) {
        struct stat about;
        if (!object_at(fd) && !is_protected(fd) && !fstat(fd, &about) && S_ISREG(about.st_mode)) {
            files[n_files++] = fd;
        }
    }
}

/* A child shares with its parent where the next read of a file begins. What one run reads must not depend on the one before. */
void reopen_files(void) {
    for (int i = 0; i < n_files; i++) {
        char path[40];
        snprintf(path, sizeof path, "/proc/self/fd/%d", files[i]);
        long flags = KERNEL(SYS_fcntl, files[i], F_GETFL, 0), closes = KERNEL(SYS_fcntl, files[i], F_GETFD, 0);
        off_t at = lseek(files[i], 0, SEEK_CUR);
        long again = KERNEL(SYS_openat, AT_FDCWD, path, flags & ~(O_CREAT | O_EXCL | O_TRUNC), 0);
        if (again >= 0) {
            lseek((int)again, at, SEEK_SET);
            KERNEL(SYS_dup3, again, files[i], closes & FD_CLOEXEC ? O_CLOEXEC : 0);
            KERNEL(SYS_close, again);
        }
    }
}

/* --- what the engine calls ---------------------------------------------------------------------------------------------- */
OURS(int, close, (int fd)) {
    if (is_protected(fd)) {
        errno = EBADF;
        return -1;
    }
    if (console_is(fd)) {
        console_gone();
    }
    forget(fd);
    return (int)result_of(KERNEL(SYS_close, fd));
}

OURS(int, close_range, (unsigned first, unsigned last, int flags)) {
    (void)flags;
    for (unsigned fd = first; fd <= last && fd < MOST_DESCRIPTORS; fd++) {
        our_close((int)fd);
    }
    return 0;
}

OURS(void, closefrom, (int first)) {
    our_close_range((unsigned)first, MOST_DESCRIPTORS, 0);
}

OURS(int, dup, (int fd)) {
    int made = (int)result_of(KERNEL(SYS_dup, fd));
    share(fd, made);
    return made;
}

OURS(int, dup3, (int from, int to, int flags)) {
    if (is_protected(to)) {
        errno = EBADF;
        return -1;
    }
    int made = (int)result_of(KERNEL(SYS_dup3, from, to, flags));
    if (made >= 0) {
        if (console_is(to)) {
            console_gone();
        }
        forget(made);
        share(from, made);
    }
    return made;
}

OURS(int, dup2, (int from, int to)) {
    return from == to ? to : our_dup3(from, to, 0);
}

#ifdef SYS_fcntl64
enum { FCNTL = SYS_fcntl64 };
#else
enum { FCNTL = SYS_fcntl };
#endif

static int do_fcntl(int fd, int request, void *argument) {
    struct object *object = object_at(fd);
    int console = console_is(fd);
    if (request == F_GETFL && (object || console)) {
        return (console ? O_RDONLY : O_RDWR) | ((object ? object->nonblocking : console_nonblocking(-1)) ? O_NONBLOCK : 0);
    }
    if (request == F_SETFL && (object || console)) {
        int nonblocking = ((long)argument & O_NONBLOCK) != 0;
        if (object) {
            object->nonblocking = nonblocking;
        } else {
            console_nonblocking(nonblocking);
        }
        return 0;
    }
    int answer = (int)result_of(KERNEL(FCNTL, fd, request, argument));
    if ((request == F_DUPFD || request == F_DUPFD_CLOEXEC) && answer >= 0) {
        share(fd, answer);
    }
    return answer;
}

OURS(int, fcntl, (int fd, int request, ...)) {
    va_list list;
    va_start(list, request);
    void *argument = va_arg(list, void *);
    va_end(list);
    return do_fcntl(fd, request, argument);
}

OURS(int, fcntl64, (int fd, int request, ...)) {
    va_list list;
    va_start(list, request);
    void *argument = va_arg(list, void *);
    va_end(list);
    return do_fcntl(fd, request, argument);
}

static int readable_bytes(struct object *object) {
    return object->kind == A_SOCKET ? first_datagram_size(object->part) : object->kind == A_TIMER && timer_expired(object->part) ? 8 : 0;
}

OURS(int, ioctl, (int fd, unsigned long request, ...)) {
    va_list list;
    va_start(list, request);
    void *argument = va_arg(list, void *);
    va_end(list);
    struct object *object = object_at(fd);
    if (request == FIONBIO && (object || console_is(fd))) {
        int nonblocking = *(int *)argument != 0;
        return do_fcntl(fd, F_SETFL, (void *)(long)(nonblocking ? O_NONBLOCK : 0));
    }
    if (!object) {
        return (int)result_of(KERNEL(SYS_ioctl, fd, request, argument));
    }
    if (request == FIONREAD) {
        *(int *)argument = readable_bytes(object);
        if (!*(int *)argument) {
            count_spinning();
            *(int *)argument = readable_bytes(object);
        }
        return 0;
    }
    errno = ENOTTY; /* names and addresses of interfaces, too: there are none but those of getifaddrs */
    return -1;
}

/* --- reading and writing --------------------------------------------------------------------------------------------------- */
ssize_t our_recv(int, void *, size_t, int) __asm__("recv");
ssize_t our_send(int, const void *, size_t, int) __asm__("send");

static ssize_t read_object(struct object *object, int fd, void *bytes, size_t size) {
    switch (object->kind) {
    case A_SOCKET: return our_recv(fd, bytes, size, 0);
    case A_TIMER: return timer_read(object, bytes, size);
    case RANDOM_BYTES: random_fill(bytes, size); return (ssize_t)size;
    case AN_EPOLL: break;
    }
    errno = EINVAL;
    return -1;
}

OURS(ssize_t, read, (int fd, void *bytes, size_t size)) {
    struct object *object = object_at(fd);
    if (object) {
        return read_object(object, fd, bytes, size);
    }
    return console_is(fd) ? console_read(bytes, size) : result_of(KERNEL(SYS_read, fd, bytes, size));
}

OURS(ssize_t, __read_chk, (int fd, void *bytes, size_t size, size_t capacity)) {
    (void)capacity;
    return our_read(fd, bytes, size);
}

OURS(ssize_t, write, (int fd, const void *bytes, size_t size)) {
    struct object *object = object_at(fd);
    if (object && object->kind == A_SOCKET) {
        return our_send(fd, bytes, size, 0);
    }
    if (object || is_protected(fd)) {
        errno = object ? EINVAL : EBADF;
        return -1;
    }
    return result_of(KERNEL(SYS_write, fd, bytes, size));
}

OURS(ssize_t, readv, (int fd, const struct iovec *parts, int n)) {
    struct msghdr message;
    memset(&message, 0, sizeof message);
    message.msg_iov = (struct iovec *)parts, message.msg_iovlen = (size_t)n;
    if (udp_at(fd)) {
        return recvmsg(fd, &message, 0);
    }
    return object_at(fd) || console_is(fd) ? our_read(fd, parts->iov_base, parts->iov_len) : result_of(KERNEL(SYS_readv, fd, parts, n));
}

OURS(ssize_t, writev, (int fd, const struct iovec *parts, int n)) {
    struct msghdr message;
    memset(&message, 0, sizeof message);
    message.msg_iov = (struct iovec *)parts, message.msg_iovlen = (size_t)n;
    return udp_at(fd) ? sendmsg(fd, &message, 0) : result_of(KERNEL(SYS_writev, fd, parts, n));
}
