/* Says all that it knows about where it is, reaches for sockets that it must not have, and reads on in a file that it has open. */
#include "engine.h"

#include <ifaddrs.h>
#include <pwd.h>
#include <sys/utsname.h>

static int kinds_refused(void) {
    struct sockaddr_in to;
    int n = 0;
    memset(&to, 0, sizeof to);
    to.sin_family = AF_INET, to.sin_port = htons(27950), to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    n += socket(AF_UNIX, SOCK_STREAM, 0) < 0;
    n += socket(AF_NETLINK, SOCK_RAW, 0) < 0;
    n += socket(AF_INET, SOCK_RAW, IPPROTO_ICMP) < 0;
    n += socket(AF_PACKET, SOCK_RAW, 0) < 0;
    int tcp = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), other = socket(AF_INET, SOCK_STREAM, 0);
    need(!bind(tcp, (struct sockaddr *)&to, sizeof to) && !listen(tcp, 5), "a TCP port can be bound");
    n += accept(tcp, NULL, NULL) < 0 && errno == EAGAIN;
    n += connect(other, (struct sockaddr *)&to, sizeof to) < 0 && errno == ECONNREFUSED;
    close(tcp), close(other);
    return n;
}

static void interfaces(char *out, size_t room) {
    struct ifaddrs *all, *one;
    size_t n = 0;
    need(!getifaddrs(&all), "getifaddrs");
    for (one = all; one; one = one->ifa_next) {
        n += (size_t)snprintf(out + n, room - n, "%s=%s ", one->ifa_name, inet_ntoa(((struct sockaddr_in *)one->ifa_addr)->sin_addr));
    }
    freeifaddrs(all);
}

int main(int count, char **arguments) {
    int fd = bound(27910);
    char host[64], ways[200], line[64] = "";
    struct utsname system;
    double load[3];
    FILE *file = count > 1 ? fopen(arguments[1], "r") : NULL;
    for (;;) {
        struct peer peer;
        char *text = receive(fd, &peer, 0);
        if (!strcmp(text, "read")) { /* unbuffered, so that the place in the file is the kernel's */
            need(file && read(fileno(file), line, 4) == 4, "the file");
            answer(fd, &peer, "%.4s", line);
            continue;
        }
        time_t now = time(NULL);
        gethostname(host, sizeof host), uname(&system), getloadavg(load, 3), interfaces(ways, sizeof ways);
        struct hostent *self = gethostbyname(host);
        struct in_addr own = *(struct in_addr *)(void *)self->h_addr_list[0];
        answer(fd, &peer, "%d %d %s %s %s %s %s%s %ld %.0f %02d %d %d", (int)getpid(), (int)getuid(), getpwuid(getuid())->pw_name, host,
               system.nodename, inet_ntoa(own), ways, getenv("TZ"), sysconf(_SC_NPROCESSORS_ONLN), load[0],
               localtime(&now)->tm_hour, gethostbyname("example.com") != NULL, kinds_refused());
    }
}
