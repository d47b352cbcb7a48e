document.querySelectorAll('input[data-filters]').forEach(function (box) {
  var rows = document.querySelectorAll(box.dataset.filters);
  box.addEventListener('input', function () {
    var words = box.value.toLowerCase().split(/\s+/);
    rows.forEach(function (row) {
      var text = row.textContent.toLowerCase();
      row.hidden = !words.every(function (word) { return text.includes(word); });
    });
  });
});
