/* Threads. They are refused: most engines then do the work themselves, and every run is the same. Where they are allowed, only the
 * main thread moves time; the others run beside it, and what they decide no replay repeats. */
#include "preload.h"

#include <semaphore.h>
#include <threads.h>

enum { PATIENCE = 200 }; /* milliseconds of real time in which another thread may do what the main thread waits for */
int threads_allowed, threads_alive;
static unsigned long conditions_signalled;
static pthread_mutex_t own = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

void own_lock(void) {
    if (threads_allowed) {
        pthread_mutex_lock(&own);
    }
}

void own_unlock(void) {
    if (threads_allowed) {
        pthread_mutex_unlock(&own);
    }
}

void real_pause(micros how_long) {
    struct timespec time = {(time_t)(how_long / SECOND), (long)(how_long % SECOND * 1000)};
    if (how_long > 0) {
        KERNEL(SYS_nanosleep, &time, NULL);
    }
}

/* --- starting -------------------------------------------------------------------------------------------------------------------- */
REAL(int, pthread_create, (pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))

struct started {
    void *(*function)(void *);
    void *argument;
};

static void ended(void *unused) {
    (void)unused;
    __sync_sub_and_fetch(&threads_alive, 1);
}

static void *run(void *argument) {
    struct started started = *(struct started *)argument;
    void *answer;
    free(argument);
    pthread_cleanup_push(ended, NULL);
    answer = started.function(started.argument);
    pthread_cleanup_pop(1);
    return answer;
}

OURS(int, pthread_create, (pthread_t * thread, const pthread_attr_t *how, void *(*function)(void *), void *argument)) {
    if (stage == PASSIVE) {
        return real_pthread_create()(thread, how, function, argument);
    }
    report("thread %s", threads_allowed ? "started" : "refused");
    say(1, "a thread is %s", threads_allowed ? "started" : "refused");
    struct started *started = threads_allowed ? malloc(sizeof *started) : NULL;
    if (!started) {
        return EAGAIN;
    }
    started->function = function, started->argument = argument;
    __sync_add_and_fetch(&threads_alive, 1);
    int error = real_pthread_create()(thread, how, run, started);
    if (error) {
        ended(NULL);
        free(started);
    }
    return error;
}

REAL(int, thrd_create, (thrd_t *, thrd_start_t, void *))

OURS(int, thrd_create, (thrd_t * thread, thrd_start_t function, void *argument)) {
    if (stage == PASSIVE) {
        return real_thrd_create()(thread, function, argument);
    }
    report("thread refused"); /* of C11's there is no count, so that they are never allowed */
    return thrd_nomem;
}

/* --- the main thread waits for another --------------------------------------------------------------------------------------------- */
/* First in real time, in which others work; then in virtual time, so that the harness is answered whatever happens. */
static int wait_for_others(looking *look, void *what, micros timeout, const char *name) {
    static int said;
    for (int i = 0; threads_alive > 0 && i < PATIENCE && timeout != 0; i++) {
        int n = look(what);
        if (n) {
            return n;
        }
        real_pause(MILLISECOND);
    }
    if (timeout < 0 && !look(what) && !said++) {
        say(0, "the main thread waits in %s for %s", name, threads_alive > 0 ? "another thread, which takes long" : "a thread that was never started");
    }
    return wait_for(look, what, timeout, BY_CONDITION);
}

static int look_conditions(void *what) {
    return *(unsigned long *)what != conditions_signalled;
}

/* Any signal of any condition ends the wait: a condition may wake for nothing, and its user looks again. */
static int wait_condition(pthread_mutex_t *mutex, micros timeout) {
    unsigned long before = conditions_signalled;
    pthread_mutex_unlock(mutex);
    int answer = wait_for_others(look_conditions, &before, timeout, "a condition");
    pthread_mutex_lock(mutex);
    return answer ? 0 : ETIMEDOUT;
}

static void *condition_function(const char *name) {
    void *found = dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2"); /* an older one has another layout */
    return found ? found : dlsym(RTLD_NEXT, name);
}

#define CONDITION(name, args) \
    static int(*real_##name(void)) args { \
        static int(*found) args; \
        return found ? found : (found = (__typeof__(found))condition_function(#name)); \
    }
CONDITION(pthread_cond_wait, (pthread_cond_t *, pthread_mutex_t *))
CONDITION(pthread_cond_timedwait, (pthread_cond_t *, pthread_mutex_t *, const struct timespec *))
CONDITION(pthread_cond_signal, (pthread_cond_t *))
CONDITION(pthread_cond_broadcast, (pthread_cond_t *))

OURS(int, pthread_cond_signal, (pthread_cond_t * condition)) {
    __sync_add_and_fetch(&conditions_signalled, 1);
    return real_pthread_cond_signal()(condition);
}

OURS(int, pthread_cond_broadcast, (pthread_cond_t * condition)) {
    __sync_add_and_fetch(&conditions_signalled, 1);
    return real_pthread_cond_broadcast()(condition);
}

OURS(int, pthread_cond_wait, (pthread_cond_t * condition, pthread_mutex_t *mutex)) {
    return drives_time() ? wait_condition(mutex, FOREVER) : real_pthread_cond_wait()(condition, mutex);
}

/* For another thread, the rest of a virtual time is as much of real time. */
static int aside(pthread_cond_t *condition, pthread_mutex_t *mutex, micros timeout) {
    struct timespec until;
    KERNEL(SYS_clock_gettime, condition->__data.__wrefs & 2 ? CLOCK_MONOTONIC : CLOCK_REALTIME, &until);
    micros at = until.tv_sec * SECOND + until.tv_nsec / 1000 + timeout;
    until.tv_sec = (time_t)(at / SECOND), until.tv_nsec = (long)(at % SECOND * 1000);
    return real_pthread_cond_timedwait()(condition, mutex, &until);
}

static int wait_condition_until(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock, const struct timespec *until) {
    micros timeout = when_is(clock, until) - now_us;
    timeout = timeout < 0 ? 0 : timeout;
    return drives_time() ? wait_condition(mutex, timeout) : aside(condition, mutex, timeout);
}

OURS(int, pthread_cond_clockwait, (pthread_cond_t * condition, pthread_mutex_t *mutex, clockid_t clock, const struct timespec *until)) {
    return wait_condition_until(condition, mutex, clock, until);
}

OURS(int, pthread_cond_timedwait, (pthread_cond_t * condition, pthread_mutex_t *mutex, const struct timespec *until)) {
    clockid_t clock = condition->__data.__wrefs & 2 ? CLOCK_MONOTONIC : CLOCK_REALTIME; /* pthread_condattr_setclock, as glibc keeps it */
    return wait_condition_until(condition, mutex, clock, until);
}

/* --- semaphores and joining ---------------------------------------------------------------------------------------------------------- */
static int look_semaphore(void *what) {
    return sem_trywait(what) == 0;
}

static int wait_semaphore(sem_t *semaphore, micros timeout) {
    int answer = drives_time() ? wait_for_others(look_semaphore, semaphore, timeout, "a semaphore") : wait_for(look_semaphore, semaphore, timeout, BY_CONDITION);
    if (!answer) {
        errno = ETIMEDOUT;
    }
    return answer > 0 ? 0 : -1;
}

OURS(int, sem_wait, (sem_t * semaphore)) {
    return look_semaphore(semaphore) ? 0 : wait_semaphore(semaphore, FOREVER);
}

OURS(int, sem_clockwait, (sem_t * semaphore, clockid_t clock, const struct timespec *until)) {
    micros timeout = when_is(clock, until) - now_us;
    return wait_semaphore(semaphore, timeout < 0 ? 0 : timeout);
}

OURS(int, sem_timedwait, (sem_t * semaphore, const struct timespec *until)) {
    return our_sem_clockwait(semaphore, CLOCK_REALTIME, until);
}

struct joined {
    pthread_t thread;
    void **answer;
};

static int look_joined(void *what) {
    struct joined *joined = what;
    int error = pthread_tryjoin_np(joined->thread, joined->answer);
    return error == EBUSY ? 0 : error ? -error : 1;
}

REAL(int, pthread_join, (pthread_t, void **))

OURS(int, pthread_join, (pthread_t thread, void **answer)) {
    struct joined joined = {thread, answer};
    if (!drives_time()) {
        return real_pthread_join()(thread, answer);
    }
    int n;
    do {
        n = wait_for_others(look_joined, &joined, FOREVER, "pthread_join");
    } while (n == -1 && errno == EINTR);
    return n > 0 ? 0 : -n;
}
