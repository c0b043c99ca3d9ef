import { writeFileSync } from 'node:fs';
import { BOARDS, DASHBOARDS_FOLDER, dashboardFile } from './dashboards.ts';

for (const board of BOARDS) writeFileSync(new URL(`${board.name}.json`, DASHBOARDS_FOLDER), dashboardFile(board));
