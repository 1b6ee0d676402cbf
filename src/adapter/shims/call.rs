// SPDX-License-Identifier: Apache-2.0
// call.rs: calls one function with the text of standard input; the result goes to 3. The function
// is given JSON as a &str, and gives a Result<String, String>: JSON, or what went wrong.
use std::io::{Read, Write};
use std::os::unix::io::FromRawFd;

const MOST: usize = 1 << 20;

fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars().take(2000) {
        match c {
            '"' | '\\' => {
                out.push('\\');
                out.push(c);
            }
            c if (c as u32) < 0x20 => out.push_str(&format!("\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

fn failed(kind: &str, message: &str) -> (String, i32) {
    let text = format!(
        "{{\"ok\":false,\"error\":{{\"type\":{},\"message\":{}}}}}",
        quoted(kind),
        quoted(message)
    );
    (text, 1)
}

fn said(panic: &(dyn std::any::Any + Send)) -> String {
    match (panic.downcast_ref::<&str>(), panic.downcast_ref::<String>()) {
        (Some(text), _) => text.to_string(),
        (_, Some(text)) => text.clone(),
        _ => String::new(),
    }
}

pub type Function = fn(&str) -> Result<String, String>;

/// Calls the one that the first argument names.
pub fn serve(functions: &[(&str, Function)]) -> ! {
    let name = std::env::args().nth(1).unwrap_or_default();
    let function = functions.iter().find(|f| f.0 == name).expect("no such function").1;
    let mut out = unsafe { std::fs::File::from_raw_fd(3) };
    let mut input = String::new();
    let (text, code) = match std::io::stdin().read_to_string(&mut input) {
        Err(e) => failed("Input", &e.to_string()),
        Ok(_) => match std::panic::catch_unwind(|| function(&input)) {
            Err(panic) => failed("panic", &said(&*panic)),
            Ok(Err(message)) => failed("Err", &message),
            Ok(Ok(value)) if value.len() > MOST => failed(
                "ResultTooLarge",
                &format!("the result has {} bytes, allowed {}", value.len(), MOST),
            ),
            Ok(Ok(value)) => (format!("{{\"ok\":true,\"value\":{}}}", value), 0),
        },
    };
    let code = if out.write_all(text.as_bytes()).is_ok() { code } else { 1 };
    std::process::exit(code)
}
