/* Our own system calls. On x86 they are made at one place, which the filter of trap.c lets through: what comes from anywhere else is
 * the engine's, or the C library's on its behalf. */
#include "preload.h"

#if defined(__x86_64__)
__asm__(".text\n"
        ".globl kernel\n.hidden kernel\n.type kernel,@function\n"
        "kernel:\n"
        "    movq %rdi, %rax\n    movq %rsi, %rdi\n    movq %rdx, %rsi\n    movq %rcx, %rdx\n"
        "    movq %r8, %r10\n    movq %r9, %r8\n    movq 8(%rsp), %r9\n"
        "    syscall\n"
        ".globl kernel_returns\n.hidden kernel_returns\n"
        "kernel_returns:\n    ret\n"
        ".size kernel, .-kernel\n");
#elif defined(__i386__)
__asm__(".text\n"
        ".globl kernel\n.hidden kernel\n.type kernel,@function\n"
        "kernel:\n"
        "    pushl %ebp\n    pushl %edi\n    pushl %esi\n    pushl %ebx\n"
        "    movl 20(%esp), %eax\n    movl 24(%esp), %ebx\n    movl 28(%esp), %ecx\n    movl 32(%esp), %edx\n"
        "    movl 36(%esp), %esi\n    movl 40(%esp), %edi\n    movl 44(%esp), %ebp\n"
        "    int $0x80\n"
        ".globl kernel_returns\n.hidden kernel_returns\n"
        "kernel_returns:\n"
        "    popl %ebx\n    popl %esi\n    popl %edi\n    popl %ebp\n    ret\n"
        ".size kernel, .-kernel\n");
#else
long kernel(long number, ...) {
    long a[6];
    va_list list;
    va_start(list, number);
    for (int i = 0; i < 6; i++) {
        a[i] = va_arg(list, long);
    }
    va_end(list);
    long answer = syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    return answer == -1 ? -errno : answer;
}
#endif

long result_of(long answer) {
    if (answer < 0 && answer >= -4095) {
        errno = (int)-answer;
        return -1;
    }
    return answer;
}
