/* SPDX-License-Identifier: Apache-2.0 */
/* collide.c: a program whose own functions are called like some inside the library. */
#include <stdio.h>
#include <string.h>

#include <writ/writ.h>

int buf_add(int n);
int doc_get(int n);
int error_set(int n);
int search(int n);
int str_cmp(int n);
extern int store_postgres, base, codes_table;

int buf_add(int n)
{
    return n + 1;
}

int doc_get(int n)
{
    return n + 2;
}

int error_set(int n)
{
    return n + 3;
}

int search(int n)
{
    return n + 4;
}

int str_cmp(int n)
{
    return n + 5;
}

int store_postgres = 6, base = 7, codes_table = 8;

/* Both have to work: its own, and what the library calls by these names. */
int main(void)
{
    static const char text[] = "{\"b\":[1, 2.50],\"a\":\"x\"}";
    struct writ_input input = { .name = "text", .text = text, .len = sizeof text - 1 };
    struct writ_ledger *ledger = NULL;
    size_t len = 0;
    char *answer = NULL;
    int status = writ_canon(&input, &answer, &len);
    int own = buf_add(0) + doc_get(0) + error_set(0) + search(0) + str_cmp(0) + store_postgres +
              base + codes_table;

    printf("own %d\n", own);
    printf("canon %d %.*s\n", status, (int)len, answer);
    writ_free(answer);
    status = writ_explain("SYNTAX", &answer);
    printf("explain %d %s\n", status, answer && strstr(answer, "SYNTAX") ? "SYNTAX" : "");
    writ_free(answer);
    status = writ_ledger_open("postgres://nowhere/none", NULL, false, &ledger, &answer);
    printf("postgres %d\n", status);
    writ_free(answer);
    return 0;
}
