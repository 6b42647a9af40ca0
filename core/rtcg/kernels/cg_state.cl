{#
  Where the scalars of conjugate gradients lie, and their states; the same names as in sparse/conjugate_gradients.cpp.
#}
{% for k in range(length(slots)) %}
#define {{ slots[k] }} {{ k }}
{% endfor %}
{% for k in range(length(statuses)) %}
#define {{ statuses[k] }} {{ k }}
{% endfor %}
#define CHECKS(state, forced) (state[STATUS] == CLAIMED || ((forced) && state[STATUS] == RUNNING))
#define KERNEL kernel {% if group > 1 %}RTCG_GROUP_SIZE(GROUP, 1, 1) {% endif %}void
