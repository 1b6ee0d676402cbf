/* SPDX-License-Identifier: Apache-2.0 */
/* papers_shells.c: completions for bash, zsh and fish.
 *
 * Each has one function a table that offers its names, and one case a verb.
 */
#include "cli/commands.h"
#include "papers.h"

/* Text for between single quotes, where a quote and a backslash are written as given. */
static void quote(const char *text, const char *mark, const char *backslash, struct buf *to)
{
    for (; *text; text++) {
        if (*text == '\'')
            buf_adds(to, mark);
        else if (*text == '\\')
            buf_adds(to, backslash);
        else
            buf_addc(to, *text);
    }
}

static void sh(const char *text, struct buf *to)
{
    quote(text, "'\\''", "\\", to);
}

static void fish(const char *text, struct buf *to)
{
    quote(text, "\\'", "\\\\", to);
}

/* For zsh, where one of `signs` ends a part of the text unless a backslash stands before it. */
static void zsh(const char *text, const char *signs, struct buf *to)
{
    char one[2] = "";

    for (; *text; text++) {
        if (*text == '\\' || strchr(signs, *text))
            buf_addc(to, '\\');
        one[0] = *text;
        sh(one, to);
    }
}

/* The word that follows a group's name, or without a group `writ`, to name a command; or NULL. */
static const char *next_word(const struct command *group, const struct command *c)
{
    if (group)
        return command_below(group, c);
    return strchr(c->name, ' ') ? NULL : c->name;
}

/* ---- bash ---- */

static void bash_table(const char *table, struct arena *a, struct buf *to)
{
    static struct words words;

    words_of(table, a, &words);
    buf_addf(to, "_writ_%s()\n{\n    _writ_offer", table_word(table));
    for (size_t i = 0; i < words.n; i++) {
        buf_adds(to, " \\\n        '");
        sh(words.v[i].name, to);
        buf_addc(to, '\'');
    }
    buf_adds(to, "\n}\n\n");
}

/* What completes the operands of a verb: a table, files, or nothing. */
static void bash_action(const char *table, bool any, struct buf *to)
{
    if (table)
        buf_addf(to, "            _writ_%s\n", table_word(table));
    else
        buf_addf(to, "            %s\n", any ? "compopt -o default" : ":");
}

/* The words after `writ`, or after the name of a group. */
static void bash_verbs(const struct command *group, struct buf *to)
{
    buf_adds(to, "_writ_offer");
    for (size_t i = 0; i < command_count; i++)
        if (next_word(group, commands[i]))
            buf_addf(to, " %s", next_word(group, commands[i]));
}

static bool has_verbs(const struct command *group)
{
    for (size_t i = 0; i < command_count; i++)
        if (command_below(group, commands[i]))
            return true;
    return false;
}

static void bash_verb(const struct command *c, struct buf *to)
{
    buf_addf(to, "    '%s')\n", c->name);
    if (!c->run) {
        buf_adds(to, "        ((COMP_CWORD == 2)) && ");
        bash_verbs(c, to);
        buf_adds(to, " --help\n        ;;\n");
        return;
    }
    for (const struct option *o = c->options; o->name; o++) {
        if (!o->value)
            continue;
        buf_addf(to, "        if [[ $prev == --%s ]]; then\n", o->name);
        if (o->words)
            buf_addf(to, "            _writ_offer %s\n", o->words);
        else
            bash_action(o->table, true, to);
        buf_adds(to, "            return\n        fi\n");
    }
    buf_adds(to, "        if [[ $cur == -* ]]; then\n            _writ_offer");
    for (const struct option *o = c->options; o->name; o++)
        buf_addf(to, " --%s", o->name);
    buf_adds(to, " --help\n        else\n");
    if (has_verbs(c)) {
        buf_adds(to, "            ((COMP_CWORD == 2)) && ");
        bash_verbs(c, to);
        buf_adds(to, "\n");
    }
    bash_action(c->table, c->most > 0, to);
    buf_adds(to, "        fi\n        ;;\n");
}

static void bash_paper(struct arena *a, struct buf *to)
{
    buf_adds(to, "# bash completion for writ, made from the rows writ runs on.\n\n"
                 "_writ_offer() # WORD...: those that begin like the one being typed\n{\n"
                 "    local word quoted\n"
                 "    for word; do\n"
                 "        printf -v quoted %q \"$word\"\n"
                 "        [[ $quoted == \"$cur\"* ]] && COMPREPLY+=(\"$quoted\")\n"
                 "    done\n}\n\n");
    for (size_t i = 0; table_used(i); i++)
        bash_table(table_used(i), a, to);
    buf_adds(to, "_writ_verbs()\n{\n    ");
    bash_verbs(NULL, to);
    buf_adds(to, " \"$@\"\n}\n\n");
    buf_adds(to, "_writ()\n{\n"
                 "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}\n"
                 "    COMPREPLY=()\n"
                 "    if [[ $prev == = ]]; then # --as=KIND is three words to bash\n"
                 "        prev=${COMP_WORDS[COMP_CWORD - 2]}\n"
                 "    elif [[ $cur == = ]]; then\n"
                 "        cur=\n"
                 "    fi\n"
                 "    if ((COMP_CWORD == 1)); then\n"
                 "        _writ_verbs help --help --version\n"
                 "        return\n"
                 "    fi\n"
                 "    local verb=${COMP_WORDS[1]} word\n"
                 "    for word in \"${COMP_WORDS[@]:2:COMP_CWORD-2}\"; do\n"
                 "        if [[ $word == -- ]]; then # the command's own\n"
                 "            compopt -o default\n"
                 "            return\n"
                 "        fi\n"
                 "    done\n"
                 "    case \"$verb ${COMP_WORDS[2]}\" in # of a group, two words\n");
    for (size_t i = 0; i < command_count; i++)
        if (strchr(commands[i]->name, ' '))
            buf_addf(to, "    '%s')\n        ((COMP_CWORD > 2)) && verb='%s'\n        ;;\n",
                     commands[i]->name, commands[i]->name);
    buf_adds(to, "    esac\n"
                 "    case $verb in\n"
                 "    help)\n        _writ_verbs\n        ;;\n");
    for (size_t i = 0; i < command_count; i++)
        bash_verb(commands[i], to);
    buf_adds(to, "    esac\n}\n\ncomplete -F _writ writ\n");
}

/* ---- zsh ---- */

static void zsh_row(const char *name, const char *about, struct buf *to)
{
    buf_adds(to, "        '");
    zsh(name, ":", to);
    buf_addc(to, ':');
    zsh(about, "", to);
    buf_adds(to, "'\n");
}

static void zsh_table(const char *table, struct arena *a, struct buf *to)
{
    static struct words words;

    words_of(table, a, &words);
    buf_addf(to, "_writ_%s() {\n    local -a rows\n    rows=(\n", table_word(table));
    for (size_t i = 0; i < words.n; i++)
        zsh_row(words.v[i].name, words.v[i].about, to);
    buf_addf(to, "    )\n    _describe -t %s %s rows\n}\n\n", table_word(table), table_word(table));
}

/* Offers the words after `writ`, or after the name of a group. */
static void zsh_verbs(const struct command *group, struct buf *to)
{
    buf_addf(to, "_writ_verbs%s%s() {\n    local -a rows\n    rows=(\n", group ? "_" : "",
             group ? group->name : "");
    for (size_t i = 0; i < command_count; i++)
        if (next_word(group, commands[i]))
            zsh_row(next_word(group, commands[i]), commands[i]->summary, to);
    buf_adds(to, "    )\n    _describe -t verbs verb rows\n}\n\n");
}

static void zsh_verb(const struct command *c, struct buf *to)
{
    if (!c->run) {
        buf_addf(to, "        %s)\n            _writ_verbs_%s\n            ;;\n", c->name, c->name);
        return;
    }
    buf_addf(to, "        '%s')\n", c->name);
    if (has_verbs(c))
        buf_addf(to, "            ((CURRENT == 2)) && _writ_verbs_%s\n", c->name);
    buf_adds(to, "            _arguments \\\n");
    for (const struct option *o = c->options; o->name; o++) {
        buf_addf(to, "                '--%s%s[", o->name, o->value ? "=" : "");
        zsh(o->help, "[]:", to);
        buf_addc(to, ']');
        if (o->words)
            buf_addf(to, ":%s:(%s)", o->value, o->words);
        else if (o->value)
            buf_addf(to, ":%s:%s%s", o->value, o->table ? "_writ_" : "_files",
                     o->table ? table_word(o->table) : "");
        buf_adds(to, "' \\\n");
    }
    if (c->most > 0)
        buf_addf(to, "                '%s:%s:%s%s' \\\n", c->most > 1 ? "*" : "1", c->operands,
                 c->table ? "_writ_" : "_files", c->table ? table_word(c->table) : "");
    buf_addf(to, "                '(- *)--help[what %s does]'\n            ;;\n", c->name);
}

static void zsh_paper(struct arena *a, struct buf *to)
{
    buf_adds(to, "#compdef writ\n# zsh completion for writ, made from the rows writ runs on.\n\n");
    for (size_t i = 0; table_used(i); i++)
        zsh_table(table_used(i), a, to);
    zsh_verbs(NULL, to);
    for (size_t i = 0; i < command_count; i++)
        if (has_verbs(commands[i]))
            zsh_verbs(commands[i], to);
    buf_adds(to, "_writ() {\n"
                 "    local curcontext=\"$curcontext\" state line\n"
                 "    _arguments -C \\\n"
                 "        '(- *)--help[what writ does]' \\\n"
                 "        '(- *)--version[which writ this is]' \\\n"
                 "        '1:verb:->verb' \\\n"
                 "        '*::operand:->operand' && return\n"
                 "    case $state in\n"
                 "    verb)\n        _writ_verbs\n        ;;\n"
                 "    operand)\n"
                 "        local verb=$line[1]\n"
                 "        case \"$verb $words[2]\" in # of a group, two words\n");
    for (size_t i = 0; i < command_count; i++)
        if (strchr(commands[i]->name, ' '))
            buf_addf(to,
                     "        '%s')\n            if ((CURRENT > 2)); then\n"
                     "                verb='%s'\n                shift words\n"
                     "                ((CURRENT--))\n            fi\n            ;;\n",
                     commands[i]->name, commands[i]->name);
    buf_adds(to, "        esac\n"
                 "        case $verb in\n"
                 "        help)\n            _arguments '1:verb:_writ_verbs'\n            ;;\n");
    for (size_t i = 0; i < command_count; i++)
        zsh_verb(commands[i], to);
    buf_adds(to, "        esac\n        ;;\n    esac\n}\n\n_writ \"$@\"\n");
}

/* ---- fish ---- */

static void fish_table(const char *table, struct arena *a, struct buf *to)
{
    static struct words words;

    words_of(table, a, &words);
    buf_addf(to, "function __writ_%s\n    printf '%%s\\t%%s\\n'", table_word(table));
    for (size_t i = 0; i < words.n; i++) {
        buf_adds(to, " \\\n        '");
        fish(words.v[i].name, to);
        buf_adds(to, "' '");
        fish(words.v[i].about, to);
        buf_addc(to, '\'');
    }
    buf_adds(to, "\nend\n\n");
}

static void fish_help(const char *help, struct buf *to)
{
    buf_adds(to, " -d '");
    fish(help, to);
    buf_adds(to, "'\n");
}

/* "was this verb typed": of a verb below a group, both words. */
static void fish_seen(const char *name, struct buf *to)
{
    size_t n = strcspn(name, " ");

    buf_addf(to, "__fish_seen_subcommand_from %.*s", (int)n, name);
    if (name[n])
        buf_addf(to, "; and __fish_seen_subcommand_from %s", name + n + 1);
}

/* The verb itself is offered after `writ`, or after its group as long as no other is there. */
static void fish_offer(const struct command *c, struct buf *to)
{
    const struct command *group = NULL;

    for (size_t i = 0; i < command_count; i++)
        if (command_below(commands[i], c))
            group = commands[i];
    buf_adds(to, "complete -c writ -n ");
    if (group) {
        buf_addf(to, "'__fish_seen_subcommand_from %s; and not __fish_seen_subcommand_from",
                 group->name);
        for (size_t i = 0; i < command_count; i++)
            if (command_below(group, commands[i]))
                buf_addf(to, " %s", command_below(group, commands[i]));
        buf_addc(to, '\'');
    } else {
        buf_adds(to, "__fish_use_subcommand");
    }
    buf_addf(to, " -a %s", next_word(group, c));
    fish_help(c->summary, to);
}

static void fish_verb(const struct command *c, struct buf *to)
{
    _buf_ struct buf seen = { .max = 1 << 10 };

    buf_adds(&seen, "complete -c writ -n '");
    fish_seen(c->name, &seen);
    buf_addc(&seen, '\'');
    fish_offer(c, to);
    for (const struct option *o = c->options; o->name; o++) {
        buf_addf(to, "%s -l %s", seen.s, o->name);
        if (o->table)
            buf_addf(to, " -x -a '(__writ_%s)'", table_word(o->table));
        else if (o->words)
            buf_addf(to, " -x -a '%s'", o->words);
        else if (o->value)
            buf_adds(to, " -r -F");
        fish_help(o->help, to);
    }
    if (c->run)
        buf_addf(to, "%s -l help -d 'what %s does'\n", seen.s, c->name);
    if (c->table)
        buf_addf(to, "%s -a '(__writ_%s)'\n", seen.s, table_word(c->table));
    else if (c->most > 0)
        buf_addf(to, "%s -F\n", seen.s);
}

static void fish_paper(struct arena *a, struct buf *to)
{
    buf_adds(to, "# fish completion for writ, made from the rows writ runs on.\n\n");
    for (size_t i = 0; table_used(i); i++)
        fish_table(table_used(i), a, to);
    buf_adds(to, "complete -c writ -f\n"
                 "complete -c writ -n __fish_use_subcommand -l help -d 'what writ does'\n"
                 "complete -c writ -n __fish_use_subcommand -l version -d 'which writ this is'\n");
    for (size_t i = 0; i < command_count; i++)
        fish_verb(commands[i], to);
}

bool paper_completion(const char *shell, struct buf *to)
{
    static const struct {
        const char *shell;
        void (*write)(struct arena *a, struct buf *to);
    } papers[] = { { "bash", bash_paper }, { "zsh", zsh_paper }, { "fish", fish_paper } };
    _arena_ struct arena a = { 0 };

    for (size_t i = 0; i < COUNT(papers); i++) {
        if (strcmp(shell, papers[i].shell) == 0) {
            papers[i].write(&a, to);
            return true;
        }
    }
    return false;
}
