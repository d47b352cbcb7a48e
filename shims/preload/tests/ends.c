/* Comes to an end in one of many ways, or does what an engine should not. */
#include "engine.h"

#include <sys/wait.h>

static void on_crash(int number) {
    fprintf(stderr, "the engine's own handler has signal %d\n", number);
    _exit(9);
}

static void megabytes(void) {
    char line[101];
    memset(line, 'x', 100);
    line[100] = 0;
    for (int i = 0; i < 40000; i++) {
        i % 2 ? puts(line) : fprintf(stderr, "%s\n", line);
    }
}

static void other_processes(int fd, struct peer *peer) {
    pid_t child = fork();
    need(child < 0 && errno == EAGAIN, "fork is refused");
    need(system("exit 3") < 0 && !popen("true", "r"), "no command is run");
    answer(fd, peer, "alone as %d", (int)getpid());
}

int main(int count, char **arguments) {
    const char *early = count > 1 ? arguments[1] : "";
    char line[64];
    if (!strcmp(early, "boot-exit")) {
        exit(5);
    }
    if (!strcmp(early, "boot-prompt")) {
        printf("Which map?\n");
        need(fgets(line, sizeof line, stdin) != NULL, "the prompt is answered");
        printf("map %s", line);
    }
    if (!strcmp(early, "ignores-children")) {
        signal(SIGCHLD, SIG_IGN);
    }
    if (!strcmp(early, "own-handler")) {
        signal(SIGSEGV, on_crash);
    }
    int fd = bound(27910);
    for (;;) {
        struct peer peer;
        char *text = receive(fd, &peer, 0);
        if (!strcmp(text, "exit")) {
            exit(3);
        } else if (!strcmp(text, "return")) {
            return 0;
        } else if (!strcmp(text, "abort")) {
            abort();
        } else if (!strcmp(text, "crash")) {
            *(volatile int *)(intptr_t)(text[0] == 'c' ? 16 : 0) = 1;
        } else if (!strcmp(text, "kill")) {
            kill(getpid(), SIGTERM);
        } else if (!strcmp(text, "hang")) {
            for (volatile int i = 0;; i = !i) {
            }
        } else if (!strcmp(text, "megabytes")) {
            megabytes();
        } else if (!strcmp(text, "fork")) {
            other_processes(fd, &peer);
        }
        answer(fd, &peer, "%s done", text);
    }
}
