/* SPDX-License-Identifier: Apache-2.0 */
/* oracle_double.cc: what V8's own library writes for a double. */
#include <double-conversion/double-conversion.h>

extern "C" void oracle_double(double v, char *out, int size);

void oracle_double(double v, char *out, int size)
{
    double_conversion::StringBuilder text(out, size);

    double_conversion::DoubleToStringConverter::EcmaScriptConverter().ToShortest(v, &text);
    text.Finalize();
}
