import type { Board } from '../board.ts';

const CHOSEN = 'instance=~"$instance"';
const OURS = `job=~"gateway|worker|stats-service",${CHOSEN}`;
const NAME = '{{job}} {{instance}}';

export const processes: Board = {
  name: 'processes',
  title: 'Lontar: processes',
  question: 'Which process is short of something?',
  variables: ['instance'],
  panels: [
    {
      title: 'Processes up',
      about:
        'Processes that answer on their metrics port. Without a gateway no request is served; without a worker nothing is generated.',
      kind: 'stat',
      unit: 'short',
      queries: ['gateway', 'worker', 'stats-service'].map((job) => ({
        expr: `sum(up{job="${job}"}) or vector(0)`,
        legend: job,
      })),
      down: 'overview',
      steps: { warn: 1, bad: 1 },
    },
    {
      title: 'Restarts',
      about:
        'How often a process under one address was started again in the time shown. The alert ProcessRestarts says what to do.',
      kind: 'stat',
      unit: 'short',
      queries: [{ expr: `sum(changes(process_start_time_seconds{${OURS}}[$__range]))`, legend: 'restarts' }],
      down: 'queue-and-workers',
      steps: { warn: 1, bad: 4 },
    },
    {
      title: 'Processor time',
      about:
        'Processors that each process keeps busy. A service has one thread for its work. A value near 1 means that it is fully busy: add another process.',
      kind: 'lines',
      unit: 'short',
      queries: [{ expr: `rate(process_cpu_seconds_total{${OURS}}[$__rate_interval])`, legend: NAME }],
      down: 'queue-and-workers',
    },
    {
      title: 'Memory',
      about:
        'Memory of each process. A container is killed when it reaches its limit, which is 512 MB unless you change it.',
      kind: 'lines',
      unit: 'bytes',
      queries: [{ expr: `process_resident_memory_bytes{${OURS}}`, legend: NAME }],
      down: 'overview',
    },
    {
      title: 'Heap',
      about:
        'Memory of JavaScript objects. If a line only rises, for hours and without a restart, the process has a leak.',
      kind: 'lines',
      unit: 'bytes',
      queries: [{ expr: `nodejs_heap_size_used_bytes{${OURS}}`, legend: NAME }],
      down: 'overview',
    },
    {
      title: 'Event-loop lag, p99',
      about:
        'How late timers of each process are. Above 0.1 s the process has too little processor time, or something blocks it.',
      kind: 'lines',
      unit: 's',
      queries: [{ expr: `nodejs_eventloop_lag_p99_seconds{${OURS}}`, legend: NAME }],
      down: 'queue-and-workers',
    },
    {
      title: 'Event-loop lag, longest',
      about: 'The longest time for which the event loop of each process was blocked. After 10 s a service ends itself.',
      kind: 'lines',
      unit: 's',
      queries: [{ expr: `nodejs_eventloop_lag_max_seconds{${OURS}}`, legend: NAME }],
      down: 'queue-and-workers',
    },
    {
      title: 'Restarts over time',
      about: 'Processes that were started again under the same address.',
      kind: 'stacked',
      unit: 'short',
      queries: [{ expr: `changes(process_start_time_seconds{${OURS}}[$__rate_interval])`, legend: NAME }],
      down: 'overview',
    },
    {
      title: 'Garbage collection',
      about:
        'Share of the time that each process collects garbage. Above 0.1 the process has too little memory for its work.',
      kind: 'lines',
      unit: 'percentunit',
      queries: [
        {
          expr: `sum by (job, instance) (rate(nodejs_gc_duration_seconds_sum{${OURS}}[$__rate_interval]))`,
          legend: NAME,
        },
      ],
      down: 'overview',
    },
    {
      title: 'Open files and connections',
      about: 'File descriptors in use, and the limit that the system sets for a process.',
      kind: 'lines',
      unit: 'short',
      queries: [
        { expr: `process_open_fds{${OURS}}`, legend: NAME },
        { expr: `min(process_max_fds{${OURS}})`, legend: 'limit' },
      ],
      down: 'masking-and-trust',
    },
  ],
};
