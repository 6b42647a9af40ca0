// Rows of a fused expression reduced; row r is elements starts_[r] ... starts_[r + 1] - 1 and what lies outside of the
// array is left out. On a GPU a team of items takes a row and its items every team-th element; on a CPU an item walks a
// chunk of rows. Without a neutral element an item starts from its first element and only items that have one count.
{{ functions }}
typedef {{ row_type }} row_t;
{{ combine }}
{% if shuffle != "" %}
#ifdef RTCG_CUDA
inline {{ type }} from_lane_({{ type }} v, unsigned step) { return {{ shuffle }}; }
#endif
{% endif %}
{% if not cpu %}
kernel RTCG_GROUP_SIZE({{ group }}, 1, 1) void segmented_reduce(
{% else %}
kernel void segmented_reduce(
{% endif %}
    {{ parameters }}global const {{ start_type }}* restrict starts_, const row_t rows_,
    const row_t n_, const {{ type }} empty_, global {{ storage }}* restrict y_) {
{{ declare_lanes }}
  const int k = 0;
{% if cpu %}
  const row_t groups_ = (row_t)get_num_groups(0), chunk_ = (rows_ + groups_ - 1) / groups_;
  const row_t first_ = (row_t)get_group_id(0) * chunk_, last_ = min(first_ + chunk_, rows_);
  const uint lane_ = 0;
  for (row_t row_ = first_; row_ < last_; ++row_) {
    const index_t begin_ = (index_t)min((row_t)starts_[row_], n_), end_ = (index_t)min((row_t)starts_[row_ + 1], n_);
{% else %}
{% if team > 1 %}
{% if shuffle != "" %}
#ifndef RTCG_CUDA
{% endif %}
  local {{ type }} sums_[{{ group }}];
{% if shuffle != "" %}
#endif
{% endif %}
{% endif %}
  const row_t row_ = (row_t)get_group_id(0) * {{ group / team }} + (uint)get_local_id(0) / {{ team }};
  const uint lane_ = (uint)get_local_id(0) % {{ team }};
  index_t begin_ = 0, end_ = 0;
  if (row_ < rows_) {
    begin_ = (index_t)min((row_t)starts_[row_], n_);
    end_ = (index_t)min((row_t)starts_[row_ + 1], n_);
  }
  {
{% endif %}
    index_t i = begin_ + lane_;
{% if neutral != "" %}
    {{ type }} sum_ = {{ neutral }};
{% else %}
    {{ type }} sum_ = empty_;
    if (i < end_) {
{{ load_one }}
{{ compute }}
      sum_ = {{ value }};
    }
    i += {{ team }};
{% endif %}
    RTCG_UNROLL({{ turns }}) for (; i < end_; i += {{ team }}) {
{{ load_one }}
{{ compute }}
      sum_ = combine_(sum_, {{ value }});
    }
{% if team > 1 %}
{% if neutral == "" %}
    const uint count_ = end_ > begin_ ? (uint)min((ulong)(end_ - begin_), (ulong){{ team }}) : 0;
{% endif %}
{% if shuffle != "" %}
#ifdef RTCG_CUDA
    RTCG_UNROLL(5) for (unsigned step = {{ team / 2 }}; step > 0; step /= 2) {
      const {{ type }} other = from_lane_(sum_, step);
{% if neutral == "" %}
      if (lane_ + step < count_)
{% endif %}
        sum_ = combine_(sum_, other);
    }
#else
{% endif %}
    sums_[get_local_id(0)] = sum_;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = {{ team / 2 }}; step > 0; step /= 2) {
{% if neutral != "" %}
      if (lane_ < step) {
{% else %}
      if (lane_ < step && lane_ + step < count_) {
{% endif %}
        sum_ = combine_(sum_, sums_[get_local_id(0) + step]);
        sums_[get_local_id(0)] = sum_;
      }
      barrier(CLK_LOCAL_MEM_FENCE);
    }
{% if shuffle != "" %}
#endif
{% endif %}
{% endif %}
{% if not cpu %}
    if (lane_ == 0 && row_ < rows_)
{% endif %}
    {
      const {{ type }} result_ = begin_ < end_ ? sum_ : empty_;
      {{ store }};
    }
  }
}
