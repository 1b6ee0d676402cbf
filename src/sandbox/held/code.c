/* SPDX-License-Identifier: Apache-2.0 */
/* code.c: the code itself, and its place behind the kernel's. */
#include "sandbox/held/code.h"

#include <elf.h>
#include <string.h>

#include "sandbox/held.h"

/* ---- the code ----
 *
 * state: 0 is mono_ns, 8 is reads; every 8192 reads 1 ms passes, whichever function it is that
 * reads (held_read). Clocks 0, 5, 8 and 11 (0x921) are walls, 2 and 3 (0xc) are a CPU's; what is
 * above 11, or 10, the system call answers.
 *
 * At the start the pages of the kernel's clocks are replaced by nothing, and not just unmapped: a
 * filter of the program's own can answer a call with any error and with 0, but not with an address.
 * Where that is not what comes, an illegal instruction follows (held_code_left): init hears of it.
 */

/* Where each function begins in it, then the constants and the end; the assembler counts. */
enum { AT_CONSTANTS = HELD_FUNCTIONS, AT_END, PLACES };

extern const unsigned char held_code_begin[];
extern const uint64_t held_code_at[PLACES];

#if defined(__aarch64__)
__asm__(".pushsection .rodata, \"a\"\n"
        ".balign 8\n"
        ".globl held_code_begin, held_code_at\n"
        ".hidden held_code_begin, held_code_at\n"
        ".macro held_read\n" /* into x5 */
        "  ldr x4, held_code_constants\n"
        "  ldr x5, [x4]\n"
        "  ldr x6, [x4, #8]\n"
        "  add x6, x6, #1\n"
        "  str x6, [x4, #8]\n"
        "  tst x6, #0x1fff\n"
        "  b.ne 1f\n"
        "  mov w7, #0x4240\n"
        "  movk w7, #0xf, lsl #16\n" /* 1000000 */
        "0: ldaxr x5, [x4]\n"
        "  add x5, x5, x7\n"
        "  stlxr w8, x5, [x4]\n"
        "  cbnz w8, 0b\n"
        "1:\n"
        ".endm\n"
        "held_code_begin:\n"
        "  hint #34\n"
        "  cmp w0, #11\n"
        "  b.hi 4f\n"
        "  cmp w0, #10\n"
        "  b.eq 4f\n"
        "  mov w2, #1\n"
        "  lsl w2, w2, w0\n"
        "  held_read\n"
        "  mov w3, #0x921\n"
        "  tst w2, w3\n"
        "  b.eq 2f\n"
        "  ldr x6, held_code_constants + 8\n"
        "  add x5, x5, x6\n"
        "2: tst w2, #0xc\n"
        "  b.eq 3f\n"
        "  ldr x6, held_code_constants + 16\n"
        "  sub x5, x5, x6\n"
        "3: mov w6, #0xca00\n"
        "  movk w6, #0x3b9a, lsl #16\n" /* 1000000000 */
        "  udiv x7, x5, x6\n"
        "  msub x8, x7, x6, x5\n"
        "  stp x7, x8, [x1]\n"
        "  mov w0, #0\n"
        "  ret\n"
        "4: mov x8, #113\n" /* clock_gettime */
        "  svc #0\n"
        "  ret\n"
        "held_code_day:\n"
        "  hint #34\n"
        "  cbz x1, 5f\n"
        "  str xzr, [x1]\n"
        "5: cbz x0, 6f\n"
        "  held_read\n"
        "  ldr x6, held_code_constants + 8\n"
        "  add x5, x5, x6\n"
        "  mov w6, #1000\n"
        "  udiv x5, x5, x6\n"
        "  mov w6, #0x4240\n"
        "  movk w6, #0xf, lsl #16\n"
        "  udiv x7, x5, x6\n"
        "  msub x8, x7, x6, x5\n"
        "  stp x7, x8, [x0]\n"
        "6: mov w0, #0\n"
        "  ret\n"
        "held_code_seconds:\n" /* the kernel has no such function here */
        "held_code_random:\n"
        "  hint #34\n"
        "  mov x0, #-38\n" /* ENOSYS */
        "  ret\n"
        "held_code_getres:\n"
        "  hint #34\n"
        "  mov x8, #114\n" /* clock_getres */
        "  svc #0\n"
        "  ret\n"
        "held_code_start:\n"
        "  hint #34\n"
        "  ldr x9, held_code_constants + 32\n"
        "  ldr x1, held_code_constants + 40\n"
        "  cbz x1, 8f\n"
        "  mov x0, x9\n"
        "  mov x2, #0\n"    /* PROT_NONE */
        "  mov x3, #0x32\n" /* MAP_PRIVATE, _FIXED and _ANONYMOUS */
        "  mov x4, #-1\n"
        "  mov x5, #0\n"
        "  mov x8, #222\n" /* mmap */
        "  svc #0\n"
        "  cmp x0, x9\n"
        "  b.eq 8f\n"
        "held_code_left:\n"
        "  .inst 0\n"      /* udf #0 */
        "8: mov x0, #26\n" /* PR_SET_TSC */
        "  mov x1, #2\n"   /* PR_TSC_SIGSEGV */
        "  mov x8, #167\n" /* prctl */
        "  svc #0\n"
        "  mov x0, #0\n"
        "  mov x1, #0\n"
        "  mov x3, #0\n"
        "  mov x4, #0\n"
        "  mov x8, #0\n"
        "  mov x9, #0\n"
        "  ldr x16, held_code_constants + 24\n"
        "  br x16\n"
        ".balign 8\n"
        "held_code_constants:\n"
        "  .quad 0, 0, 0, 0, 0, 0\n"
        "held_code_end:\n"
        "held_code_at:\n"
        "  .quad 0, held_code_day - held_code_begin, held_code_seconds - held_code_begin\n"
        "  .quad held_code_random - held_code_begin, held_code_getres - held_code_begin\n"
        "  .quad held_code_start - held_code_begin, held_code_left - held_code_begin\n"
        "  .quad held_code_constants - held_code_begin, held_code_end - held_code_begin\n"
        ".popsection\n");
#else
__asm__(".pushsection .rodata, \"a\"\n"
        ".balign 8\n"
        ".globl held_code_begin, held_code_at\n"
        ".hidden held_code_begin, held_code_at\n"
        ".macro held_read\n" /* into rax */
        "  movq held_code_constants(%rip), %r8\n"
        "  movq (%r8), %rax\n"
        "  incq 8(%r8)\n"
        "  testw $0x1fff, 8(%r8)\n"
        "  jne 1f\n"
        "  movl $1000000, %eax\n"
        "  lock xaddq %rax, (%r8)\n"
        "  addq $1000000, %rax\n"
        "1:\n"
        ".endm\n"
        "held_code_begin:\n"
        "  cmpl $11, %edi\n"
        "  ja 4f\n"
        "  cmpl $10, %edi\n"
        "  je 4f\n"
        "  movl %edi, %ecx\n"
        "  movl $1, %r9d\n"
        "  shll %cl, %r9d\n"
        "  held_read\n"
        "  testl $0x921, %r9d\n"
        "  je 2f\n"
        "  addq held_code_constants+8(%rip), %rax\n"
        "2: testl $0xc, %r9d\n"
        "  je 3f\n"
        "  subq held_code_constants+16(%rip), %rax\n"
        "3: xorl %edx, %edx\n"
        "  movl $1000000000, %ecx\n"
        "  divq %rcx\n"
        "  movq %rax, (%rsi)\n"
        "  movq %rdx, 8(%rsi)\n"
        "  xorl %eax, %eax\n"
        "  ret\n"
        "4: movl $228, %eax\n" /* clock_gettime */
        "  syscall\n"
        "  ret\n"
        "held_code_day:\n"
        "  testq %rsi, %rsi\n"
        "  je 5f\n"
        "  movq $0, (%rsi)\n"
        "5: testq %rdi, %rdi\n"
        "  je 6f\n"
        "  held_read\n"
        "  addq held_code_constants+8(%rip), %rax\n"
        "  xorl %edx, %edx\n"
        "  movl $1000, %ecx\n"
        "  divq %rcx\n"
        "  xorl %edx, %edx\n"
        "  movl $1000000, %ecx\n"
        "  divq %rcx\n"
        "  movq %rax, (%rdi)\n"
        "  movq %rdx, 8(%rdi)\n"
        "6: xorl %eax, %eax\n"
        "  ret\n"
        "held_code_seconds:\n"
        "  held_read\n"
        "  addq held_code_constants+8(%rip), %rax\n"
        "  xorl %edx, %edx\n"
        "  movl $1000000000, %ecx\n"
        "  divq %rcx\n"
        "  testq %rdi, %rdi\n"
        "  je 7f\n"
        "  movq %rax, (%rdi)\n"
        "7: ret\n"
        "held_code_random:\n"
        "  movq $-38, %rax\n" /* ENOSYS */
        "  ret\n"
        "held_code_getres:\n"
        "  movl $229, %eax\n" /* clock_getres */
        "  syscall\n"
        "  ret\n"
        "held_code_start:\n"
        "  movq held_code_constants+32(%rip), %rdi\n"
        "  movq held_code_constants+40(%rip), %rsi\n"
        "  testq %rsi, %rsi\n"
        "  je 8f\n"
        "  xorl %edx, %edx\n"   /* PROT_NONE */
        "  movl $0x32, %r10d\n" /* MAP_PRIVATE, _FIXED and _ANONYMOUS */
        "  movq $-1, %r8\n"
        "  xorl %r9d, %r9d\n"
        "  movl $9, %eax\n" /* mmap */
        "  syscall\n"
        "  cmpq %rdi, %rax\n"
        "  je 8f\n"
        "held_code_left:\n"
        "  ud2\n"
        "  nop\n"
        "  nop\n"
        "8: movl $26, %edi\n" /* PR_SET_TSC */
        "  movl $2, %esi\n"   /* PR_TSC_SIGSEGV */
        "  movl $157, %eax\n" /* prctl */
        "  syscall\n"
        "  xorl %eax, %eax\n"
        "  xorl %edi, %edi\n"
        "  xorl %esi, %esi\n"
        "  xorl %ecx, %ecx\n"
        "  xorl %r8d, %r8d\n"
        "  xorl %r10d, %r10d\n"
        "  jmpq *held_code_constants+24(%rip)\n"
        ".balign 8\n"
        "held_code_constants:\n"
        "  .quad 0, 0, 0, 0, 0, 0\n"
        "held_code_end:\n"
        "held_code_at:\n"
        "  .quad 0, held_code_day - held_code_begin, held_code_seconds - held_code_begin\n"
        "  .quad held_code_random - held_code_begin, held_code_getres - held_code_begin\n"
        "  .quad held_code_start - held_code_begin, held_code_left - held_code_begin\n"
        "  .quad held_code_constants - held_code_begin, held_code_end - held_code_begin\n"
        ".popsection\n");
#endif

size_t held_code_make(const struct held_constants *constants, unsigned char out[HELD_CODE_MAX])
{
    memcpy(out, held_code_begin, held_code_at[AT_END]);
    memcpy(out + held_code_at[AT_CONSTANTS], constants, sizeof *constants);
    return held_code_at[AT_END];
}

size_t held_code_entry(enum held_function f)
{
    return held_code_at[f];
}

bool held_code_is_left(const unsigned char at[HELD_LEFT_BYTES])
{
    return memcmp(at, held_code_begin + held_code_at[HELD_LEFT], HELD_LEFT_BYTES) == 0;
}

/* ---- its place ---- */

/* clang-format off */
static const struct {
    const char *name;
    enum held_function does;
} replaced[] = {
    { "__kernel_clock_gettime", HELD_CLOCK_GETTIME },
    { "__kernel_gettimeofday",  HELD_GETTIMEOFDAY },
    { "__kernel_getrandom",     HELD_GETRANDOM },
    { "__kernel_clock_getres",  HELD_GETRES },
    { "__vdso_clock_gettime",   HELD_CLOCK_GETTIME },
    { "__vdso_gettimeofday",    HELD_GETTIMEOFDAY },
    { "__vdso_time",            HELD_TIME },
    { "__vdso_getrandom",       HELD_GETRANDOM },
    { "__vdso_clock_getres",    HELD_GETRES },
};

/* These read nothing. What else there is has another name for one of the above, or is new. */
static const char *const plain[] = {
    "__kernel_rt_sigreturn", "__vdso_getcpu", "__vdso_sgx_enter_enclave", "getcpu",
};
/* clang-format on */

/* The parts of an image that matter here. Every place is counted from its beginning. */
struct image {
    const unsigned char *bytes;
    uint64_t end;  /* of what the kernel has written */
    uint64_t size; /* as it is mapped */
    uint64_t symbols, names, name_bytes;
};

static bool read_header(struct image *i, size_t page)
{
    Elf64_Ehdr head;

    memcpy(&head, i->bytes, sizeof head);
    if (memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64 ||
        head.e_phentsize != sizeof(Elf64_Phdr) || head.e_phoff >= page || head.e_phnum > 16)
        return false;
    i->end = head.e_shoff + (uint64_t)head.e_shentsize * head.e_shnum;
    for (int n = 0; n < head.e_phnum; n++) {
        Elf64_Phdr part;

        memcpy(&part, i->bytes + head.e_phoff + (size_t)n * sizeof part, sizeof part);
        if (part.p_type == PT_LOAD && part.p_vaddr != 0)
            return false;
        if (part.p_type == PT_LOAD && part.p_filesz > i->end)
            i->end = part.p_filesz;
        if (part.p_type == PT_DYNAMIC)
            i->symbols = part.p_vaddr; /* for now */
    }
    i->end = (i->end + 7) / 8 * 8;
    i->size = (i->end + page - 1) / page * page;
    return i->symbols > 0 && i->symbols < i->end && i->size <= 16 * page;
}

static bool read_tables(struct image *i)
{
    Elf64_Dyn row;

    for (uint64_t at = i->symbols; at + sizeof row <= i->end; at += sizeof row) {
        memcpy(&row, i->bytes + at, sizeof row);
        if (row.d_tag == DT_NULL)
            break;
        if (row.d_tag == DT_SYMTAB)
            i->symbols = row.d_un.d_ptr;
        if (row.d_tag == DT_STRTAB)
            i->names = row.d_un.d_ptr;
        if (row.d_tag == DT_STRSZ)
            i->name_bytes = row.d_un.d_val;
    }
    return i->symbols < i->names && i->names + i->name_bytes <= i->end && i->name_bytes > 0 &&
           i->bytes[i->names + i->name_bytes - 1] == '\0';
}

/* Ours goes where the last page is empty. */
static bool has_room(const struct image *i)
{
    size_t n = held_code_at[AT_END];

    if (i->size - i->end < n)
        return false;
    for (size_t k = 0; k < n; k++)
        if (i->bytes[i->end + k] != 0)
            return false;
    return true;
}

/* A function's first eight bytes, with a jump in them. */
static struct held_jump jump(const struct image *i, uint64_t at, uint64_t to)
{
    struct held_jump j = { .at = at };

    memcpy(&j.word, i->bytes + at, sizeof j.word);
#if defined(__aarch64__)
    /* bti c; b to */
    j.word = 0xd503245fULL | (0x14000000ULL | (((to - at - 4) >> 2) & 0x3ffffff)) << 32;
#else
    unsigned char code[5] = { 0xe9 };
    uint32_t far = (uint32_t)(to - at - sizeof code);

    memcpy(code + 1, &far, sizeof far);
    memcpy(&j.word, code, sizeof code);
#endif
    return j;
}

static bool find_functions(const struct image *i, struct held_places *out)
{
    bool clock = false;

    /* The names follow the symbols, in every kernel there is: that is how many there are. */
    for (uint64_t at = i->symbols; at + sizeof(Elf64_Sym) <= i->names; at += sizeof(Elf64_Sym)) {
        Elf64_Sym symbol;

        memcpy(&symbol, i->bytes + at, sizeof symbol);
        if (symbol.st_name >= i->name_bytes || symbol.st_value + 8 > i->end)
            return false;
        for (size_t k = 0; k < COUNT(replaced) && symbol.st_value > 0; k++) {
            const char *name = (const char *)i->bytes + i->names + symbol.st_name;

            if (strcmp(name, replaced[k].name) != 0)
                continue;
            if (out->jump_count == COUNT(out->jumps))
                return false;
            out->jumps[out->jump_count++] =
                jump(i, symbol.st_value, out->code + held_code_entry(replaced[k].does));
            clock |= replaced[k].does == HELD_CLOCK_GETTIME;
        }
    }
    return clock;
}

static bool is_plain(const char *name)
{
    for (size_t k = 0; k < COUNT(plain); k++)
        if (strcmp(name, plain[k]) == 0)
            return true;
    return false;
}

static bool is_replaced(const struct held_places *places, uint64_t at)
{
    for (size_t k = 0; k < places->jump_count; k++)
        if (places->jumps[k].at == at)
            return true;
    return false;
}

/* They have been looked at by find_functions. */
static bool has_others(const struct image *i, const struct held_places *places)
{
    for (uint64_t at = i->symbols; at + sizeof(Elf64_Sym) <= i->names; at += sizeof(Elf64_Sym)) {
        Elf64_Sym symbol;

        memcpy(&symbol, i->bytes + at, sizeof symbol);
        if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && !is_replaced(places, symbol.st_value) &&
            !is_plain((const char *)i->bytes + i->names + symbol.st_name))
            return true;
    }
    return false;
}

struct held_places held_code_find(const unsigned char *image, size_t page)
{
    struct image i = { .bytes = image };
    struct held_places out = { 0 };

    if (!image || !read_header(&i, page) || !read_tables(&i) || !has_room(&i))
        return out;
    out.code = i.end;
    out.found = find_functions(&i, &out);
    out.others = out.found && has_others(&i, &out);
    return out;
}
