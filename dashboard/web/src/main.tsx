import type { Tiles } from '@lontar/shared/dashboard-contract.ts';
import { render } from 'preact';
import { cleanCopies } from './clipboard/copy.ts';
import { takeFirstTiles } from './live/live-state.ts';
import { startLive } from './live/open-stream.ts';
import { Page } from './page/page.tsx';
import { followHistory } from './page/panels.ts';
import { showInTab } from './page/tab.ts';
import { applyTheme } from './page/theme.ts';

applyTheme();
cleanCopies();
followHistory();
const place = document.querySelector<HTMLElement>('#page');
const first = place?.dataset['tiles'];
if (first !== undefined) takeFirstTiles(JSON.parse(first) as Tiles);
startLive(place?.dataset['open'] !== undefined);
if (place) render(<Page />, place);
showInTab();
