/**
 * SHA-256 of every uWebSockets.js binary that may be loaded, by the package that carries it. The registry has them for
 * Linux on x64 only. A binary that is not listed is not loaded.
 */
export const uwsBinaries: Readonly<Record<string, string>> = {
  "@uwsjs/linux-x64-20@20.51.4": "4d482084b665c225892917ee0e9b9572d89eaa6f3dc200ff5e536293d3456c89",
  "@uwsjs/linux-x64-22@20.51.4": "f687e7c3666b5cca9d355184bbf07bb0550f5ba0d3ffd453248ccfec552dde6c",
  "@uwsjs/linux-x64-22@20.69.0": "34d235864db874fbf3aeafd48b63f6fb80f61fb584a86f1e5f7b0291dbd7a3d4",
  "@uwsjs/linux-x64-24@20.69.0": "177efdc682425d754474bd30f9586c487fa6694f790f3406a23885d0e61c07a0",
};
