/* SPDX-License-Identifier: Apache-2.0 */
/* Forms of the first directives: docs/format.md section 5. */
#include "image/ptx.h"

#include <stdio.h>
#include <string.h>

struct lexer {
  const uint8_t *at, *end;
};

static bool at_end(const struct lexer *l)
{
  return l->at == l->end;
}

static bool is_blank(uint8_t c)
{
  return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_digit(uint8_t c)
{
  return c >= '0' && c <= '9';
}

static bool is_word(uint8_t c)
{
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '%';
}

/* Steps over the comment that starts here, to the end of the text where it is not closed. false: none starts here. */
static bool skip_comment(struct lexer *l)
{
  if (l->end - l->at < 2 || l->at[0] != '/' || (l->at[1] != '/' && l->at[1] != '*'))
    return false;
  size_t left = (size_t)(l->end - l->at);
  const uint8_t *close;
  if (l->at[1] == '/') {
    close = memchr(l->at, '\n', left);
    l->at = close != NULL ? close : l->end;
  } else {
    close = memmem(l->at + 2, left - 2, "*/", 2);
    l->at = close != NULL ? close + 2 : l->end;
  }
  return true;
}

static void skip_string(struct lexer *l)
{
  for (l->at++; !at_end(l); l->at++) {
    if (*l->at == '\\' && l->end - l->at > 1)
      l->at++;
    else if (*l->at == '"') {
      l->at++;
      return;
    }
  }
}

static void skip_blanks(struct lexer *l)
{
  while (!at_end(l))
    if (is_blank(*l->at))
      l->at++;
    else if (!skip_comment(l))
      return;
}

/* The directive or word here: a dot or a word character, then word characters. */
static struct view take_word(struct lexer *l)
{
  const uint8_t *start = l->at;
  if (!at_end(l) && *l->at == '.')
    l->at++;
  while (!at_end(l) && is_word(*l->at))
    l->at++;
  return (struct view){start, (size_t)(l->at - start)};
}

static bool word_is(struct view word, const char *text)
{
  return word.size == strlen(text) && memcmp(word.data, text, word.size) == 0;
}

static bool take_number(struct lexer *l, uint32_t most, uint32_t *out)
{
  const uint8_t *start = l->at;
  uint32_t value = 0;
  for (; !at_end(l) && is_digit(*l->at); l->at++) {
    value = value * 10 + (uint32_t)(*l->at - '0');
    if (value > most)
      return false;
  }
  *out = value;
  return l->at > start;
}

/* "9.0" behind ".version", on its line. */
static bool take_version(struct lexer *l, struct ptx_header *out)
{
  const uint8_t *start = l->at;
  while (!at_end(l) && (*l->at == ' ' || *l->at == '\t'))
    l->at++;
  uint32_t major, minor;
  if (l->at == start || !take_number(l, UINT16_MAX, &major) || at_end(l) || *l->at++ != '.')
    return false;
  if (!take_number(l, UINT16_MAX, &minor) || at_end(l) || is_word(*l->at))
    return false;
  out->isa_major = (uint16_t)major;
  out->isa_minor = (uint16_t)minor;
  return true;
}

/* "sm_90a, debug" behind ".target". A word that touches the end may be cut, so something must follow it. */
static bool take_targets(struct lexer *l, struct ptx_header *out)
{
  bool found = false;
  for (;;) {
    skip_blanks(l);
    struct view word = take_word(l);
    struct cuw_arch arch;
    if (word.size == 0 || word.data[0] == '.' || at_end(l))
      return false;
    if (!found && cuw_arch_parse((const char *)word.data, word.size, &arch) == word.size) {
      out->arch = (struct cuw_arch){arch.number, arch.suffix, true};
      found = true;
    } else if (word_is(word, "debug")) {
      out->debug = true;
    }
    struct lexer ahead = *l;
    skip_blanks(&ahead);
    if (at_end(&ahead) || *ahead.at != ',')
      return found;
    *l = ahead;
    l->at++;
  }
}

static void take_address_size(struct lexer *l, struct ptx_header *out)
{
  uint32_t bits;
  skip_blanks(l);
  if (!word_is(take_word(l), ".address_size"))
    return;
  skip_blanks(l);
  if (take_number(l, 64, &bits) && (bits == 32 || bits == 64))
    out->bits = (uint8_t)bits;
}

bool ptx_header_at(struct view text, struct ptx_header *out)
{
  *out = (struct ptx_header){0};
  if (text.size > PTX_HEADER_MAX)
    text.size = PTX_HEADER_MAX;
  if (text.size == 0)
    return false;
  struct lexer l = {text.data, text.data + text.size};
  if (!word_is(take_word(&l), ".version") || !take_version(&l, out))
    return false;
  skip_blanks(&l);
  if (!word_is(take_word(&l), ".target") || !take_targets(&l, out))
    return false;
  take_address_size(&l, out);
  return true;
}

/* Goes to the next directive outside comments and strings and steps over it; an empty view at the end. */
static struct view next_directive(struct lexer *l)
{
  while (!at_end(l)) {
    uint8_t c = *l->at;
    if (c == '/') {
      if (!skip_comment(l))
        l->at++;
    } else if (c == '"') {
      skip_string(l);
    } else if (c == '.') {
      return take_word(l);
    } else if (is_word(c)) {
      while (!at_end(l) && (is_word(*l->at) || *l->at == '.'))
        l->at++; /* an instruction with its modifiers: "ld.param.u64" holds no directive */
    } else {
      l->at++;
    }
  }
  return (struct view){NULL, 0};
}

bool ptx_header_decode(struct view text, struct ptx_header *out)
{
  *out = (struct ptx_header){0};
  if (text.size == 0)
    return false;
  struct lexer l = {text.data, text.data + text.size};
  for (struct view word = next_directive(&l); word.size > 0; word = next_directive(&l)) {
    if (!word_is(word, ".version"))
      continue;
    size_t offset = (size_t)(word.data - text.data);
    if (ptx_header_at(view_part(text, offset, text.size - offset), out)) {
      out->offset = offset;
      return true;
    }
  }
  return false;
}

size_t ptx_extent(struct view text)
{
  const uint8_t *nul = text.size > 0 ? memchr(text.data, 0, text.size) : NULL;
  return nul != NULL ? (size_t)(nul - text.data) : text.size;
}

bool ptx_toolkit(struct view text, char out[8])
{
  static const char words[] = "Cuda compilation tools, release ";
  const size_t length = sizeof words - 1;
  out[0] = 0;
  while (text.size > length) {
    const uint8_t *found = memmem(text.data, text.size, words, length);
    if (found == NULL)
      return false;
    struct lexer l = {found + length, text.data + text.size};
    uint32_t major, minor;
    if (take_number(&l, 999, &major) && !at_end(&l) && *l.at++ == '.' && take_number(&l, 999, &minor)) {
      snprintf(out, 8, "%u.%u", major, minor);
      return true;
    }
    text = (struct view){l.at, (size_t)(l.end - l.at)};
  }
  return false;
}

long ptx_entries(struct view text, bool (*each)(void *data, struct view name), void *data)
{
  long seen = 0;
  if (text.size == 0)
    return 0;
  struct lexer l = {text.data, text.data + ptx_extent(text)};
  for (struct view word = next_directive(&l); word.size > 0; word = next_directive(&l)) {
    if (!word_is(word, ".entry"))
      continue;
    skip_blanks(&l);
    if (at_end(&l) || !is_word(*l.at))
      continue;
    seen++;
    if (!each(data, take_word(&l)))
      break;
  }
  return seen;
}
