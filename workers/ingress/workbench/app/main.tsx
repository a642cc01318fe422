import { render } from 'preact';
import { Shell } from './shell.tsx';

const root = document.querySelector('#app');
if (root !== null) render(<Shell />, root);
