/* Who and where the engine is: the same process, user and host on every machine. */
#include "preload.h"

#include <ifaddrs.h>
#include <net/if.h>
#include <pwd.h>
#include <sched.h>
#include <sys/utsname.h>

const char own_name[] = "engine";

static int failed(int error) {
    errno = error;
    return -1;
}

/* What the machine's owner has set must not change what an engine prints, sends or finds. */
void sterilize_environment(void) {
    static const char *const unset[] = {"LANGUAGE", "LC_CTYPE", "LC_NUMERIC", "LC_TIME", "LC_COLLATE", "LC_MONETARY", "LC_MESSAGES", "HOSTNAME",
                                        "MAIL", "SUDO_USER", "SSH_CONNECTION", "SSH_CLIENT", "COLUMNS", "LINES"};
    static const char *const set[][2] = {{"TZ", "UTC0"}, {"LC_ALL", "C"}, {"LANG", "C"}, {"USER", "player"}, {"LOGNAME", "player"}};
    for (size_t i = 0; i < sizeof unset / sizeof *unset; i++) {
        unsetenv(unset[i]);
    }
    for (size_t i = 0; i < sizeof set / sizeof *set; i++) {
        setenv(set[i][0], set[i][1], 1);
    }
}

/* --- process and user ------------------------------------------------------------------------------------------------------- */
OURS(pid_t, getpid, (void)) {
    return OWN_PID;
}

OURS(pid_t, getppid, (void)) {
    return 1;
}

OURS(pid_t, getpgrp, (void)) {
    return OWN_PID;
}

OURS(pid_t, gettid, (void)) {
    static int threads;
    static __thread int number;
    if (drives_time()) {
        return OWN_PID;
    }
    if (!number) {
        number = __sync_add_and_fetch(&threads, 1);
    }
    return OWN_PID + number;
}

OURS(int, kill, (pid_t pid, int number)) {
    if (pid == OWN_PID) {
        pid = (pid_t)KERNEL(SYS_getpid);
    }
    return (int)result_of(KERNEL(SYS_kill, pid, number));
}

OURS(uid_t, getuid, (void)) {
    return OWN_UID;
}

OURS(uid_t, geteuid, (void)) {
    return OWN_UID;
}

OURS(gid_t, getgid, (void)) {
    return OWN_UID;
}

OURS(gid_t, getegid, (void)) {
    return OWN_UID;
}

OURS(int, setuid, (uid_t id)) {
    return id == OWN_UID ? 0 : failed(EPERM);
}

OURS(int, setgid, (gid_t id)) {
    return id == OWN_UID ? 0 : failed(EPERM);
}

static struct passwd *player(void) {
    static char name[] = "player", shell[] = "/bin/sh", none[] = "", root[] = "/";
    static struct passwd all;
    char *home = getenv("HOME");
    all.pw_name = name, all.pw_passwd = none, all.pw_gecos = none, all.pw_shell = shell, all.pw_dir = home ? home : root;
    all.pw_uid = all.pw_gid = OWN_UID;
    return &all;
}

OURS(struct passwd *, getpwuid, (uid_t id)) {
    return id == OWN_UID ? player() : NULL;
}

OURS(struct passwd *, getpwnam, (const char *name)) {
    return name && !strcmp(name, "player") ? player() : NULL;
}

static int player_into(int is, struct passwd *out, struct passwd **result) {
    *result = NULL;
    if (is) {
        *out = *player(), *result = out;
    }
    return 0;
}

OURS(int, getpwuid_r, (uid_t id, struct passwd *out, char *bytes, size_t size, struct passwd **result)) {
    (void)bytes, (void)size;
    return player_into(id == OWN_UID, out, result);
}

OURS(int, getpwnam_r, (const char *name, struct passwd *out, char *bytes, size_t size, struct passwd **result)) {
    (void)bytes, (void)size;
    return player_into(name && !strcmp(name, "player"), out, result);
}

OURS(char *, getlogin, (void)) {
    return player()->pw_name;
}

/* --- the machine -------------------------------------------------------------------------------------------------------------- */
OURS(int, gethostname, (char *name, size_t size)) {
    snprintf(name, size, "%s", own_name);
    return 0;
}

OURS(int, __gethostname_chk, (char *name, size_t size, size_t room)) {
    (void)room;
    return our_gethostname(name, size);
}

OURS(int, getdomainname, (char *name, size_t size)) {
    snprintf(name, size, "(none)");
    return 0;
}

OURS(long, gethostid, (void)) {
    return 0x4242;
}

OURS(int, uname, (struct utsname * out)) {
    memset(out, 0, sizeof *out);
    strcpy(out->sysname, "Linux"), strcpy(out->nodename, own_name), strcpy(out->release, "6.1.0"), strcpy(out->version, "#1 SMP");
    strcpy(out->machine, sizeof(void *) == 8 ? "x86_64" : "i686"), strcpy(out->domainname, "(none)");
    return 0;
}

/* One processor: engines start a thread for each, and tell how many there are. */
REAL(long, sysconf, (int))

OURS(long, sysconf, (int what)) {
    return what == _SC_NPROCESSORS_ONLN || what == _SC_NPROCESSORS_CONF ? 1 : what == _SC_PHYS_PAGES ? 262144 : what == _SC_AVPHYS_PAGES ? 131072
                                                                                                              : real_sysconf()(what);
}

OURS(int, get_nprocs, (void)) {
    return 1;
}

OURS(int, get_nprocs_conf, (void)) {
    return 1;
}

OURS(int, sched_getcpu, (void)) {
    return 0;
}

OURS(int, sched_getaffinity, (pid_t pid, size_t size, cpu_set_t *set)) {
    (void)pid;
    if (size < sizeof(long)) {
        return failed(EINVAL);
    }
    memset(set, 0, size);
    CPU_SET_S(0, size, set);
    return 0;
}

OURS(int, sched_setaffinity, (pid_t pid, size_t size, const cpu_set_t *set)) {
    (void)pid, (void)size, (void)set;
    return 0;
}

/* --- interfaces ------------------------------------------------------------------------------------------------------------------ */
struct interface {
    struct ifaddrs entry;
    struct sockaddr_in address, mask, broadcast;
    char name[8];
};

static void put_interface(struct interface *out, const char *name, uint32_t ip, uint32_t mask, unsigned flags) {
    memset(out, 0, sizeof *out);
    strcpy(out->name, name);
    out->address.sin_family = out->mask.sin_family = out->broadcast.sin_family = AF_INET;
    out->address.sin_addr.s_addr = htonl(ip), out->mask.sin_addr.s_addr = htonl(mask), out->broadcast.sin_addr.s_addr = htonl(ip | ~mask);
    out->entry.ifa_name = out->name, out->entry.ifa_flags = flags;
    out->entry.ifa_addr = (struct sockaddr *)&out->address, out->entry.ifa_netmask = (struct sockaddr *)&out->mask;
    out->entry.ifa_broadaddr = (struct sockaddr *)&out->broadcast;
}

OURS(int, getifaddrs, (struct ifaddrs * *out)) {
    struct interface *all = calloc(2, sizeof *all);
    if (!all) {
        return failed(ENOMEM);
    }
    put_interface(&all[0], "lo", INADDR_LOOPBACK, 0xff000000, IFF_UP | IFF_RUNNING | IFF_LOOPBACK);
    put_interface(&all[1], "eth0", own_ip(), 0xffffff00, IFF_UP | IFF_RUNNING | IFF_BROADCAST | IFF_MULTICAST);
    all[0].entry.ifa_next = &all[1].entry;
    *out = &all[0].entry;
    return 0;
}

OURS(void, freeifaddrs, (struct ifaddrs * all)) {
    free(all);
}

OURS(unsigned, if_nametoindex, (const char *name)) {
    return !strcmp(name, "lo") ? 1 : !strcmp(name, "eth0") ? 2 : (unsigned)(failed(ENODEV) + 1);
}

OURS(char *, if_indextoname, (unsigned index, char *name)) {
    if (index < 1 || index > 2) {
        errno = ENXIO;
        return NULL;
    }
    return strcpy(name, index == 1 ? "lo" : "eth0");
}
