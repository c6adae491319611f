export * from './clustergauges';
export * from './columns';
export * from './levels';
export * from './rowgauge';
export * from './units';
export { englishWords, gaugeWords, type IGaugeWords } from './words';
