export { Player } from './player';
export { englishPlayerWords, playerWords, type IPlayerWords } from './words';
