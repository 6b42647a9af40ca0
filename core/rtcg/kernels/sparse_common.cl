{#
  Words that all sparse kernels share. A kernel of a format walks over rows and leaves the rest to the fragments of a
  row program: SOURCE(j), the j-th element that the matrix is applied to, and statements run for every row with `i`, its
  index, and `sum`, its product (sum_t). Sums over a work-group are taken in a fixed order.
#}
typedef {{ value }} value_t;
typedef {{ total }} total_t;
// The product of a row: one value, or one for each of the right sides that are done at a time.
typedef {{ value }}{% if wide > 1 %}{{ wide }}{% endif %} sum_t;
#define GROUP {{ group }}
{% if cpu %}
#define SPARSE_KERNEL kernel void
{% else %}
#ifdef RTCG_CUDA
// So few registers that {{ resident }} groups run at once on a multiprocessor: loads in flight are what fills the memory.
#define SPARSE_KERNEL kernel __launch_bounds__(GROUP, {{ resident }}) void
#else
#define SPARSE_KERNEL kernel RTCG_GROUP_SIZE(GROUP, 1, 1) void
#endif
{% endif %}
{% if length(complex) > 0 %}
#define MULTIPLY(a, b) {{ complex }}_mul(a, b)
#define MULTIPLY_ADD(a, b, c) {{ complex }}_fma(a, b, c)
#define ZERO {{ complex }}_new(0, 0)
{% else %}
#define MULTIPLY(a, b) ((b) * (a))
#define MULTIPLY_ADD(a, b, c) ((b) * (a) + (c))
{% if wide == 1 %}
#define ZERO ((value_t)0)
{% else %}
#define ZERO make_{{ value }}{{ wide }}({% for k in range(wide) %}{{ ", 0" if k > 0 else "0" }}{% endfor %})
{% endif %}
{% endif %}

{% if group > 1 %}
static inline total_t group_total(total_t value, LOCAL_POINTER total_t* scratch) {
  const uint t = (uint)get_local_id(0);
  scratch[t] = value;
  barrier(CLK_LOCAL_MEM_FENCE);
{% for step in steps %}
  if (t < {{ step }}) scratch[t] += scratch[t + {{ step }}];
  barrier(CLK_LOCAL_MEM_FENCE);
{% endfor %}
  const total_t total = scratch[0];
  barrier(CLK_LOCAL_MEM_FENCE);
  return total;
}
#define GROUP_TOTAL(value) group_total(value, scratch)
#define GROUP_SCRATCH local total_t scratch[GROUP];
{% else %}
#define GROUP_TOTAL(value) (value)
#define GROUP_SCRATCH
{% endif %}
{% if cpu %}
// The contiguous part of 0 to n that belongs to this item.
#define OWN_FIRST(n) (uint)((ulong)(n) * get_global_id(0) / get_global_size(0))
#define OWN_LAST(n) (uint)((ulong)(n) * (get_global_id(0) + 1) / get_global_size(0))
{% endif %}
