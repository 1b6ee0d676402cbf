// SPDX-License-Identifier: Apache-2.0

// call.go: calls one function with a value from standard input; the result goes to 3. The function
// takes a context, one value that JSON can fill, both or neither, and gives a value, an error, both
// or neither.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"runtime/debug"
	"syscall"
)

const most = 1 << 20

var (
	contextType = reflect.TypeOf((*context.Context)(nil)).Elem()
	errorType   = reflect.TypeOf((*error)(nil)).Elem()
)

func arguments(t reflect.Type, input []byte) ([]reflect.Value, error) {
	var list []reflect.Value
	n, most := 0, 1
	if t.NumIn() > 0 && t.In(0) == contextType {
		most = 2
	}
	if t.NumIn() > most || t.IsVariadic() {
		return nil, errors.New("the function takes more than a context and one value")
	}
	if n < t.NumIn() && t.In(n) == contextType {
		list = append(list, reflect.ValueOf(context.Background()))
		n++
	}
	if n < t.NumIn() {
		value := reflect.New(t.In(n))
		decoder := json.NewDecoder(bytes.NewReader(input))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(value.Interface()); err != nil {
			return nil, err
		}
		list = append(list, value.Elem())
	}
	return list, nil
}

func results(list []reflect.Value) (interface{}, error) {
	n := len(list)
	if n > 0 && list[n-1].Type().Implements(errorType) {
		if err, _ := list[n-1].Interface().(error); err != nil {
			return nil, err
		}
		n--
	}
	if n > 1 {
		return nil, errors.New("the function gives more than one value and an error")
	}
	if n == 0 {
		return nil, nil
	}
	return list[0].Interface(), nil
}

func call(function interface{}) (value interface{}, err error) {
	defer func() {
		if r := recover(); r != nil {
			fmt.Fprintf(os.Stderr, "panic: %v\n%s", r, debug.Stack())
			err = &failure{"panic", fmt.Sprint(r)}
		}
	}()
	target := reflect.ValueOf(function)
	if target.Kind() != reflect.Func {
		return nil, errors.New("it is no function")
	}
	input, err := io.ReadAll(os.Stdin)
	if err != nil {
		return nil, err
	}
	list, err := arguments(target.Type(), input)
	if err != nil {
		return nil, err
	}
	return results(target.Call(list))
}

// failure is ours, and not the function's own.
type failure struct{ kind, text string }

func (f *failure) Error() string { return f.text }

func written(answer interface{}) ([]byte, error) {
	var to bytes.Buffer
	encoder := json.NewEncoder(&to)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(answer)
	if err == nil && to.Len() > most {
		err = &failure{"ResultTooLarge",
			fmt.Sprintf("the result has %d bytes, allowed %d", to.Len(), most)}
	}
	return to.Bytes(), err
}

// serve calls the one that the first argument names.
func serve(functions map[string]interface{}) {
	function := functions[os.Args[1]]
	out := os.NewFile(3, "result")
	syscall.CloseOnExec(3)
	code := 0
	value, err := call(function)
	text, wrong := []byte(nil), error(nil)
	if err == nil {
		text, wrong = written(map[string]interface{}{"ok": true, "value": value})
		err = wrong
	}
	if err != nil {
		kind := reflect.TypeOf(err).String()
		if ours, ok := err.(*failure); ok {
			kind = ours.kind
		}
		text, _ = written(map[string]interface{}{"ok": false,
			"error": map[string]string{"type": kind, "message": err.Error()}})
		code = 1
	}
	if _, err := out.Write(text); err != nil {
		code = 1
	}
	os.Exit(code)
}
