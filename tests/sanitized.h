/* SPDX-License-Identifier: Apache-2.0 */
/* sanitized.h: whether a sanitizer keeps what was freed, so that memory cannot be measured. */
#pragma once

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED true
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED true
#endif
#endif
#ifndef SANITIZED
#define SANITIZED false
#endif
