// Stands for each picture and style sheet that a package imports.
module.exports = '<svg xmlns="http://www.w3.org/2000/svg"></svg>';
