/* SPDX-License-Identifier: Apache-2.0 */
/* nothing.c: a program that does nothing; what is left is the start of a program. */
int main(void)
{
    return 0;
}
