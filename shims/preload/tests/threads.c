/* A worker does the sums, or the main thread itself where there can be none. */
#include "engine.h"

#include <semaphore.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static sem_t done;
static int asked, answered;

static void *work(void *unused) {
    (void)unused;
    pthread_mutex_lock(&lock);
    for (;;) {
        while (answered == asked) {
            pthread_cond_wait(&changed, &lock);
        }
        answered = asked;
        usleep(2000); /* of real time */
        pthread_cond_broadcast(&changed);
        sem_post(&done);
    }
    return NULL;
}

static long long wait_in_vain(void) {
    struct timespec until;
    long long began = clock_us();
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 2;
    pthread_mutex_lock(&lock);
    int error = pthread_cond_timedwait(&changed, &lock, &until);
    pthread_mutex_unlock(&lock);
    need(error == ETIMEDOUT, "the condition times out");
    need(sem_timedwait(&done, &until) < 0 && errno == ETIMEDOUT, "the semaphore times out");
    return clock_us() - began;
}

int main(int count, char **arguments) {
    int fd = bound(27910);
    pthread_t worker;
    int error = count > 1 && !strcmp(arguments[1], "none") ? EAGAIN : pthread_create(&worker, NULL, work, NULL);
    sem_init(&done, 0, 0);
    for (;;) {
        struct peer peer;
        char *text = receive(fd, &peer, 0);
        if (!strcmp(text, "deadlock")) {
            pthread_mutex_lock(&lock);
            pthread_cond_wait(&changed, &lock);
        } else if (!strcmp(text, "in vain")) {
            answer(fd, &peer, "waited %lld", wait_in_vain());
        } else if (error) {
            answer(fd, &peer, "%s alone: %s", text, error == EAGAIN ? "EAGAIN" : "?");
        } else {
            pthread_mutex_lock(&lock);
            asked++;
            pthread_cond_broadcast(&changed);
            while (answered != asked) {
                pthread_cond_wait(&changed, &lock);
            }
            pthread_mutex_unlock(&lock);
            need(!sem_wait(&done), "sem_wait");
            answer(fd, &peer, "%s %d together", text, answered);
        }
    }
}
