// One function per set of picture files. Private to data.
//
// `options.root` empty: the sets with a name are looked for in data_roots(), in the folder of the set's name or the one
// its archive unpacks to. Of `options.part`, "train" leaves out the test part and "test" all others.
// Errors kUsage: an option's value; kData: a missing or damaged file, with path and line; listed pictures that are not
// there; one picture in two parts. Files that are left out are told in the log.
#pragma once

#include "scorevi/data/options.h"
#include "scorevi/data/picture_list.h"

namespace scorevi::data {

// Your own pictures in `root`: <class>/..., one pool, or {train, val | valid | validation, test}/<class>/... .
// Classes by name. Folders inside class folders and symbolic links are followed, each folder once per class. Left out:
// hidden files and folders, files that are no picture by name, empty class folders.
PictureList list_image_folder(const DataOptions& options);

// Your own pictures by the text files list_train, list_validation and list_test, each in `root` or relative to the
// working folder; list_train alone is one pool. A line is a path relative to `root`, then a space, tab or comma and
// the label; or class/.../file without a label. The path may hold any of these where it ends like a picture's name.
// Labels that are all whole numbers are classes in the order of the numbers, others in the order of their names.
PictureList list_image_list(const DataOptions& options);

// Describable Textures: images/<class>/<file>, labels/{train,val,test}<partition>.txt. Official: 47 classes, 1880 rows
// in each part.
PictureList list_dtd(const DataOptions& options);

// Oxford-IIIT Pet: images/<id>.jpg, annotations/{trainval,test}.txt. Official: 37 classes, 3680 and 3669 rows, no
// validation part. Classes are numbered in the order of the file's class numbers, which may have gaps.
PictureList list_oxford_pets(const DataOptions& options);

// Oxford 102 Flowers: jpg/image_<number>.jpg, imagelabels.mat, setid.mat. Official: 1020, 1020 and 6149 rows. Class
// names are flower_001 ... flower_102, or the lines of class_names.txt or VggFlower_labels.txt where it lies beside.
PictureList list_flowers102(const DataOptions& options);

// FGVC-Aircraft: data/images/<id>.jpg, data/images_<level>_{train,val,trainval,test}.txt. Official: 3334, 3333 and 3333
// rows; 100 variants, 70 families, 30 manufacturers. Where train and val are not there, trainval is the training part.
PictureList list_fgvc_aircraft(const DataOptions& options);

}  // namespace scorevi::data
