{#
  Reduction of values that are computed where they are needed. Element (o, r, c) of [outer][length][inner] has the index
  i = (o length + r) inner + c; r runs over what is reduced. `rows` is for inner = 1, `columns` for the rest. The loops
  follow in reduce_cpu.cl or reduce_gpu.cl.

  The accumulator is a structure of fields; all outputs of one reduction share it. The order of combination is fixed by
  the plan, but is not that of the indices: the combination has to be associative and commutative.

  Where one row or tile of columns has several groups (`split`), each leaves its accumulator in `partials`. In CUDA the one
  that takes the last ticket combines them in order and sets the counter back to zero for the next launch; OpenCL 1.2 orders
  nothing between groups, so there a second kernel, `join`, does.
#}
{{ functions }}
typedef struct {
{% for field in fields %}
  {{ field[0] }} {{ field[1] }};
{% endfor %}
} accumulator_t;
static inline accumulator_t neutral_accumulator(void) {
  accumulator_t a;
{% for field in fields %}
  a.{{ field[1] }} = {{ field[2] }};
{% endfor %}
  return a;
}
static inline accumulator_t combine_accumulators(accumulator_t a, accumulator_t b) {
  {{ combine }}
  return a;
}
{% set store = "" %}
{% for out in outputs %}
{% if out[0] == "half" %}
{% set store = store ~ "vstore_half(" ~ out[2] ~ ", at, " ~ out[1] ~ "); " %}
{% else %}
{% set store = store ~ out[1] ~ "[at] = " ~ out[2] ~ "; " %}
{% endif %}
{% endfor %}
{% set keep = "accumulator_t b; " %}
{% for field in fields %}
{% set keep = keep ~ "b." ~ field[1] ~ " = " ~ field[3] ~ "; " %}
{% endfor %}
static inline void store_results(accumulator_t a, index_t n, index_t inner, index_t at{% for out in outputs %}, global {{ out[0] }}* {{ out[1] }}{% endfor %}) {
  {{ store }}
}
{% set arguments = "" %}
{% set own_parameters = "ulong outer_, ulong length_, ulong inner_, uint columns, uint slots, uint parts, ulong share_, global accumulator_t* partials, global uint* counters" %}
{% for out in outputs %}
{% set arguments = arguments ~ ", " ~ out[1] %}
{% set own_parameters = own_parameters ~ ", global " ~ out[0] ~ "* " ~ out[1] %}
{% endfor %}
