/* The kernel keeps functions in every process that read the clock without a system call (vDSO). The C library uses them by itself, as
 * runtimes of other languages do; and they read the time-stamp counter, which we trap. So they are made to jump to ours. */
#include "preload.h"

#if defined(__x86_64__) || defined(__i386__)
#include <elf.h>
#include <link.h>
#include <sys/auxv.h>
#include <sys/mman.h>

enum { JUMP_SIZE = sizeof(void *) == 8 ? 12 : 5 };

static void put_jump(uint8_t *at, const void *to) {
    uint8_t code[JUMP_SIZE];
    if (sizeof(void *) == 8) { /* movabs $to, %rax; jmp *%rax */
        code[0] = 0x48, code[1] = 0xb8;
        memcpy(code + 2, &to, sizeof to);
        code[JUMP_SIZE - 2] = 0xff, code[JUMP_SIZE - 1] = 0xe0;
    } else { /* jmp to */
        int32_t distance = (int32_t)((uintptr_t)to - (uintptr_t)at - 5);
        code[0] = 0xe9;
        memcpy(code + 1, &distance, sizeof distance);
    }
    memcpy(at, code, JUMP_SIZE);
}

/* The names are of no type here, since only their addresses are wanted. */
extern const char clock_gettime_of_ours[] __asm__("clock_gettime"), gettimeofday_of_ours[] __asm__("gettimeofday"), time_of_ours[] __asm__("time");
#if defined(__i386__)
extern const char clock_gettime64_of_ours[] __asm__("__clock_gettime64");
#endif

static const void *stand_in_for(const char *name) {
    static const struct {
        const char *name;
        const void *ours;
    } functions[] = {{"__vdso_clock_gettime", clock_gettime_of_ours},
                     {"__vdso_gettimeofday", gettimeofday_of_ours},
#if defined(__i386__)
                     {"__vdso_clock_gettime64", clock_gettime64_of_ours},
#endif
                     {"__vdso_time", time_of_ours}};
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        if (!strcmp(name, functions[i].name)) {
            return functions[i].ours;
        }
    }
    return NULL;
}

struct image {
    uint8_t *begin;          /* where it stands */
    size_t size;             /* of what is loaded */
    uintptr_t shift;         /* to be added to its addresses */
    const ElfW(Sym) *symbols;
    const char *names;
    size_t n_symbols;
};

static int read_image(struct image *image) {
    const ElfW(Ehdr) *head = (const void *)getauxval(AT_SYSINFO_EHDR);
    const ElfW(Dyn) *dynamic = NULL;
    if (!head) {
        return 0;
    }
    memset(image, 0, sizeof *image);
    image->begin = (uint8_t *)(uintptr_t)head;
    const ElfW(Phdr) *part = (const void *)(image->begin + head->e_phoff);
    for (int i = 0; i < head->e_phnum; i++) {
        if (part[i].p_type == PT_LOAD) {
            image->shift = (uintptr_t)image->begin + part[i].p_offset - part[i].p_vaddr;
            image->size = part[i].p_offset + part[i].p_memsz;
        } else if (part[i].p_type == PT_DYNAMIC) {
            dynamic = (const void *)(image->begin + part[i].p_offset);
        }
    }
    for (; dynamic && dynamic->d_tag != DT_NULL; dynamic++) {
        void *at = (void *)(image->shift + dynamic->d_un.d_ptr);
        switch (dynamic->d_tag) {
        case DT_SYMTAB: image->symbols = at; break;
        case DT_STRTAB: image->names = at; break;
        case DT_HASH: image->n_symbols = ((const uint32_t *)at)[1]; break;
        default: break;
        }
    }
    /* Where there is no hash table with the number, the names come behind the symbols. */
    if (!image->n_symbols && image->names > (const char *)image->symbols) {
        image->n_symbols = (size_t)(image->names - (const char *)image->symbols) / sizeof *image->symbols;
    }
    return image->symbols && image->names && image->n_symbols < 256;
}

void patch_vdso(void) {
    struct image image;
    if (!read_image(&image)) {
        return;
    }
    size_t whole = (image.size + 4095) & ~(size_t)4095;
    if (mprotect(image.begin, whole, PROT_READ | PROT_WRITE | PROT_EXEC)) {
        say(1, "the kernel's own clock functions stay: %s", strerror(errno));
        return;
    }
    for (size_t i = 0; i < image.n_symbols; i++) {
        const ElfW(Sym) *symbol = &image.symbols[i];
        const void *ours = symbol->st_value ? stand_in_for(image.names + symbol->st_name) : NULL;
        uint8_t *at = (uint8_t *)(image.shift + symbol->st_value);
        if (ours && symbol->st_size >= JUMP_SIZE && at > image.begin && at + JUMP_SIZE <= image.begin + image.size) {
            put_jump(at, ours);
        }
    }
    mprotect(image.begin, whole, PROT_READ | PROT_EXEC);
}
#else
void patch_vdso(void) {
}
#endif
