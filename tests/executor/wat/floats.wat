;; a * b + c with two roundings; with one it would not be zero.
(module
  (memory (export "memory") 1 1)
  (func (export "room") (param i32) (result i32) (i32.const 8))
  (func (export "execute") (param i32 i32) (result i64) (local $a f64)
    ;; 1 + 2^-30 for a payload of 3 bytes; its square is 1 + 2^-29, once rounded
    (local.set $a (f64.add (f64.const 1)
      (f64.div (f64.convert_i32_u (local.get 1)) (f64.const 3221225472))))
    (i32.store8 (i32.const 100) (i32.add (i32.const 0x30)
      (f64.ne (f64.sub (f64.mul (local.get $a) (local.get $a)) (f64.const 0x1.00000008p+0))
              (f64.const 0))))
    (i64.const 0x0000006400000001)))
