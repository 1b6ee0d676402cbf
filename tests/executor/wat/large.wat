;; Memory as large programs have it, data in the middle: every byte must be as it was.
(module
  (memory (export "memory") 40 80)
  (data (i32.const 1048576) "\"fresh\"")
  (func $zero_between (param $from i32) (param $to i32) (result i32) (local $sum i64)
    (loop $next
      (local.set $sum (i64.or (local.get $sum) (i64.load (local.get $from))))
      (local.set $from (i32.add (local.get $from) (i32.const 8)))
      (br_if $next (i32.lt_u (local.get $from) (local.get $to))))
    (i64.eqz (local.get $sum)))
  (func (export "room") (param i32) (result i32) (i32.const 2097152))
  (func (export "execute") (param i32 i32) (result i64)
    (memory.fill (local.get 0) (i32.const 0) (local.get 1))
    (if (i32.ne (memory.grow (i32.const 40)) (i32.const 40)) (then unreachable))
    (if (i32.eqz (call $zero_between (i32.const 0) (i32.const 1048576))) (then unreachable))
    (if (i32.eqz (call $zero_between (i32.const 1048584) (i32.const 5242880))) (then unreachable))
    (memory.fill (i32.const 0) (i32.const 0x55) (i32.const 1048576))
    (memory.fill (i32.const 1048584) (i32.const 0x55) (i32.const 4194296))
    (i64.const 0x0010000000000007)))
