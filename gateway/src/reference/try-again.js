// Of the page that stands for the dashboard while its statistics are away: it becomes the dashboard when they are back.
const EVERY_MS = 5_000;

async function tryAgain() {
  const response = await fetch(location.href, { method: 'HEAD' }).catch(() => undefined);
  if (response?.ok) location.reload();
  else setTimeout(tryAgain, EVERY_MS);
}

setTimeout(tryAgain, EVERY_MS);
