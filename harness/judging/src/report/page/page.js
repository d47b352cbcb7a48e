// Filters, links into closed parts, and the lists behind counts. The page is whole without it.
(function () {
  'use strict';
  var all = function (selector, inside) { return Array.from((inside || document).querySelectorAll(selector)); };

  // A filter shows what has every word and every choice.
  function filter(form, items, test) {
    var controls = all('[data-filter]', form), count = form.querySelector('.count');
    function apply() {
      var wanted = {};
      controls.forEach(function (control) { wanted[control.dataset.filter] = control.value.toLowerCase(); });
      var words = wanted.text.split(/\s+/).filter(Boolean), shown = 0;
      items.forEach(function (item) {
        item.text = item.text || item.element.textContent.toLowerCase();
        var good = words.every(function (word) { return item.text.includes(word); }) && test(item.element, wanted);
        item.element.hidden = !good;
        shown += good;
      });
      count.textContent = shown + ' of ' + items.length;
    }
    form.addEventListener('input', apply);
    form.addEventListener('submit', function (event) { event.preventDefault(); });
    count.textContent = items.length + ' of ' + items.length;
    return function () {
      controls.forEach(function (control) { control.value = ''; });
      apply();
    };
  }
  function items(selector) { return all(selector).map(function (element) { return { element: element }; }); }

  all('.matrix').forEach(function (matrix) {
    var heads = all('thead th', matrix).slice(3, -1).map(function (head) { return head.textContent; });
    all('tbody tr', matrix).forEach(function (row) {
      heads.forEach(function (head, place) { row.cells[3 + place].dataset.of = head; });
    });
  });
  var showRequirements = filter(document.querySelector('#requirements .filters'), items('.matrix tbody tr'), function (row, wanted) {
    var cells = row.cells, role = cells[2].textContent;
    if (wanted.level && !cells[1].textContent.toLowerCase().startsWith(wanted.level)) return false;
    if (wanted.role && role !== wanted.role) return false;
    if (wanted.protocol && row.closest('.matrix').dataset.protocol !== wanted.protocol) return false;
    if (wanted.status === 'differs') return row.classList.contains('differs');
    return !wanted.status || Array.from(cells).slice(3, -1).some(function (cell) { return cell.classList.contains(wanted.status); });
  });
  document.querySelector('#requirements .filters').addEventListener('input', function () {
    all('.matrix').forEach(function (matrix) { matrix.hidden = !matrix.querySelector('tbody tr:not([hidden])'); });
  });
  var showCases = filter(document.querySelector('#cases .filters'), items('.scenario'), function (scenario, wanted) {
    return !wanted.verdict || all('.run > span', scenario).some(function (word) { return word.textContent === wanted.verdict; });
  });

  // A link into what is closed or filtered away opens it.
  function open() {
    var target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    if (target.closest('[hidden]')) { showRequirements(); showCases(); all('.matrix').forEach(function (matrix) { matrix.hidden = false; }); }
    if (target.tagName === 'DETAILS') target.open = true;
    if (target.tagName === 'TR') target.querySelector('details').open = true;
    target.scrollIntoView();
  }
  addEventListener('hashchange', open);

  // What a case covers, and which cases cover a requirement: bits in the order of the rows.
  var tables = {};
  all('.matrix').forEach(function (matrix) {
    tables[matrix.dataset.protocol] = all('tbody tr', matrix).map(function (row) { return row.id; });
  });
  function rows(run) { return tables[run.closest('.scenario').dataset.protocol] || []; }
  function bit(run, place) {
    var digit = (run.dataset.covered || '')[place >> 2];
    return digit !== undefined && (parseInt(digit, 16) >> (place & 3) & 1) === 1;
  }
  function list(place, ids) {
    place.textContent = ids.length + (ids.length ? ': ' : '');
    ids.forEach(function (id) {
      var link = document.createElement('a');
      link.href = '#' + encodeURIComponent(id);
      link.textContent = id;
      place.append(link, ' ');
    });
  }
  document.addEventListener('toggle', function (event) {
    var details = event.target;
    if (!details.open || details.dataset.filled) return;
    details.dataset.filled = 1;
    var covering = details.querySelector('.covering'), row = details.closest('tr');
    if (covering && row) {
      var protocol = row.closest('.matrix').dataset.protocol, place = tables[protocol].indexOf(row.id), names = new Set();
      all('.scenario[data-protocol="' + protocol + '"] .run').forEach(function (run) {
        if (bit(run, place)) names.add(run.closest('.case').id);
      });
      list(covering, Array.from(names));
    }
  }, true);
  document.addEventListener('click', function (event) {
    var button = event.target.closest('.run button');
    if (!button) return;
    var run = button.closest('.run'), place = document.createElement('span');
    button.replaceWith(place);
    list(place, rows(run).filter(function (_, row) { return bit(run, row); }));
  });
  addEventListener('beforeprint', function () { all('.failure details').forEach(function (details) { details.open = true; }); });
  open();
})();
