# The members whose values differ between .before and .after, or that only one of them has.
.before as $b | .after as $a | [($b + $a | keys[]) | select($b[.] != $a[.])]
