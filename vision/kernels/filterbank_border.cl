// Where the border takes element `at` of a row or column from; -1 where it is zero. No filter reaches farther out than
// the image is large, except with borders that do not care.
static inline {{ index }} source_place({{ index }} at, {{ index }} extent) {
{% if border == "zero" %}
  return at >= 0 && at < extent ? at : -1;
{% elif border == "reflect" %}
  const {{ index }} from_first = at < 0 ? -at : at;
  return from_first < extent ? from_first : 2 * (extent - 1) - from_first;
{% elif border == "replicate" %}
  return at < 0 ? 0 : at < extent ? at : extent - 1;
{% else %}
  return at < 0 ? at + extent : at < extent ? at : at - extent;
{% endif %}
}
