{#
  The start of every radix sort text: types, the order of keys, and where a pass of a row reads and writes.
  Keys stay in memory as they are. A pass looks at digits of `ordered(key)`, an unsigned number whose order is that of the
  keys: -0 equals +0, every NaN is the largest number there is, in descending order too. So equal keys keep both
  their bits and their order.
#}
typedef {{ key }} key_t;
#define KEY_BITS {{ key_bits }}
#define PASSES {{ passes }}
#define ALL_ONES ((key_t)~(key_t)0)
#define SIGN ((key_t)((key_t)1 << (KEY_BITS - 1)))

static inline key_t ordered(key_t key) {
{% if order == "boolean" %}
  key = key != 0;
{% elif order == "signed" %}
  key ^= SIGN;
{% elif order == "float" %}
  const key_t magnitude = key & (key_t)~SIGN;
  if (magnitude > (key_t){{ infinity }}ul) return ALL_ONES;
  key = magnitude == 0 ? SIGN : key & SIGN ? (key_t)~key : (key_t)(key | SIGN);
{% endif %}
{% if descending %}
{% if order == "boolean" %}
  return (key_t)(key ^ 1);
{% else %}
  return (key_t)~key;
{% endif %}
{% else %}
  return key;
{% endif %}
}

/// A key that no other follows.
{% if order == "float" %}
#define LAST_KEY ALL_ONES
{% elif order == "boolean" %}
#define LAST_KEY ((key_t){{ 0 if descending else 1 }})
{% elif order == "signed" %}
#define LAST_KEY {{ "SIGN" if descending else "((key_t)~SIGN)" }}
{% else %}
#define LAST_KEY {{ "((key_t)0)" if descending else "ALL_ONES" }}
{% endif %}

/// Digit of pass p: eight bits of the ordered key, fewer in the last.
#define FIRST_BIT {{ first_bit }}
#define LAST_MASK {{ last_mask }}u
static inline uint digit_of(key_t key, int pass) {
  return (uint)(ordered(key) >> (FIRST_BIT + 8 * pass)) & (pass == PASSES - 1 ? LAST_MASK : 255u);
}

{% if value_bytes %}
{% if value == "words" %}
typedef struct { uint words[{{ value_words }}]; } value_t;
{% elif value == "bytes" %}
typedef struct { uchar bytes[{{ value_bytes }}]; } value_t;
{% else %}
typedef {{ value }} value_t;
{% endif %}
typedef {{ "ulong" if wide_result else "value_t" }} result_t;
{% endif %}

/// What the plan says of a pass: whether it runs (a digit that is the same for all keys is left out), where it reads (0 the
/// input, 1 the scratch, 2 the output) and writes, and whether it is the last that runs.
#define PLAN_ACTIVE 1u
#define PLAN_LAST 2u
#define PLAN_SOURCE(plan) (((plan) >> 2) & 3u)
#define PLAN_TARGET(plan) (((plan) >> 4) & 3u)
static inline void make_plan(const uint* constant_digits, global uint* plan) {
  int active = 0;
  for (int p = 0; p < PASSES; ++p) active += constant_digits[p] ? 0 : 1;
  // With nothing to do the last pass runs all the same: it copies.
  int done = 0;
  const int runs = active == 0 ? 1 : active;
  for (int p = 0; p < PASSES; ++p) {
    const int run = active == 0 ? p == PASSES - 1 : !constant_digits[p];
    const uint target = (runs - done) % 2 ? 2u : 1u;
    const uint source = done == 0 ? 0u : 3u - target;
    plan[p] = run ? PLAN_ACTIVE | (done == runs - 1 ? PLAN_LAST : 0u) | source << 2 | target << 4 : 0u;
    done += run;
  }
}

/// The buffers of one problem: rows of LENGTH, read from an offset in the input only.
#define KEY_BUFFERS global const key_t* input, ulong input_offset, global key_t* scratch, global key_t* output
#define KEY_SOURCE(plan, row, length) \
  ((PLAN_SOURCE(plan) == 0 ? input + input_offset : PLAN_SOURCE(plan) == 1 ? (global const key_t*)scratch : (global const key_t*)output) + (size_t)(row) * (length))
#define KEY_TARGET(plan, row, length) ((PLAN_TARGET(plan) == 1 ? scratch : output) + (size_t)(row) * (length))
{% if value_bytes %}
#define VALUE_BUFFERS , global const value_t* values, ulong values_offset, global value_t* value_scratch, global result_t* result
/// Value of an element at `at` in its row; in the first pass of an argsort it is `at` itself.
static inline value_t value_at(uint plan, global const value_t* values, ulong values_offset, global const value_t* value_scratch, global const result_t* result, size_t row_start, uint at) {
{% if indices %}
  if (PLAN_SOURCE(plan) == 0) return (value_t)at;
{% else %}
  if (PLAN_SOURCE(plan) == 0) return values[values_offset + row_start + at];
{% endif %}
  // Between passes the row's room in the result holds value_t, which is never wider.
  return PLAN_SOURCE(plan) == 1 ? value_scratch[row_start + at] : ((global const value_t*)(result + row_start))[at];
}
static inline void put_value(uint plan, global value_t* value_scratch, global result_t* result, size_t row_start, uint at, value_t value) {
{% if wide_result %}
  if (plan & PLAN_LAST) {
    result[row_start + at] = (result_t)value;
    return;
  }
{% endif %}
  (PLAN_TARGET(plan) == 1 ? value_scratch + row_start : (global value_t*)(result + row_start))[at] = value;
}
#define GET_VALUE(plan, row_start, at) value_at(plan, values, values_offset, value_scratch, result, row_start, at)
#define PUT_VALUE(plan, row_start, at, value) put_value(plan, value_scratch, result, row_start, at, value)
{% else %}
#define VALUE_BUFFERS
{% endif %}
