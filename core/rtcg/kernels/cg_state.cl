{#
  Where the scalars of conjugate gradients lie and their states; the host names them in sparse/conjugate_gradients.cpp.
#}
{% for k in range(length(slots)) %}
#define {{ slots[k] }} {{ k }}
{% endfor %}
{% for k in range(length(statuses)) %}
#define {{ statuses[k] }} {{ k }}
{% endfor %}
#define CHECKS(state, forced) (state[STATUS] == CLAIMED || ((forced) && state[STATUS] == RUNNING))
