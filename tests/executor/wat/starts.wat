;; What a start function did is part of a fresh instance: memory, a global and a table, all grown.
(module
  (type $small (func (result i32)))
  (memory (export "memory") 0 2)
  (table $t 0 3 funcref)
  (global $runs (mut i32) (i32.const 0))
  (elem declare func $seven)
  (func $seven (result i32) (i32.const 7))
  (func $start
    (drop (memory.grow (i32.const 1)))
    (drop (table.grow $t (ref.func $seven) (i32.const 2)))
    (global.set $runs (i32.add (global.get $runs) (i32.const 1)))
    (i32.store8 (i32.const 100) (i32.const 0x30)))
  (start $start)
  (func (export "room") (param i32) (result i32) (i32.const 200))
  (func (export "execute") (param i32 i32) (result i64)
    ;; 1 run + 7 from the table: the digit 8, and another one if anything was left over
    (i32.store8 (i32.const 100)
      (i32.add (i32.load8_u (i32.const 100))
               (i32.add (global.get $runs) (call_indirect $t (type $small) (i32.const 1)))))
    (global.set $runs (i32.const 2))
    (table.set $t (i32.const 1) (ref.null func))
    (drop (memory.grow (i32.const 1)))
    (i64.const 0x0000006400000001)))
